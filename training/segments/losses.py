"""What a network's answers cost."""

import torch

from .glyphs import CHARACTERS, EITHER

INDEX = {c: i + 1 for i, c in enumerate(CHARACTERS)}
# Behind the network's own classes, those of a digit or a doubt.
SHARED = {either: len(CHARACTERS) + 1 + i for i, either in enumerate(EITHER.values())}


def loss_of(network, x, texts):
    """CTC's loss, and the logits that it is of."""
    logits = network(x)
    targets = torch.tensor([INDEX[c] for t in texts for c in t], dtype=torch.long, device=logits.device)
    lengths = torch.tensor([len(t) for t in texts])
    steps = torch.full((len(texts),), logits.shape[0])
    return torch.nn.functional.ctc_loss(logits.log_softmax(2), targets, steps, lengths, zero_infinity=True), logits


# The logarithm of the probability of what cannot be: low enough to add nothing, and finite, as gradients need it.
NEVER = -1e30


def _alignment(texts):
    """How the steps of each row go through its text: the classes of its states, which are its signs with a blank around each;
    which of them may follow the sign before without a blank; and the two states that a row may end in, counted from one.

    `?` is a part of every shared class. Between two signs that it fits, a blank is obligatory: without it, each step at which a
    single doubt may pass from one sign to the next is another way to be right, and a doubt that lasts for all steps costs less
    than a row that is read as what it is."""
    wanted = {**INDEX, **SHARED}
    states = torch.zeros(len(texts), 2 * max(map(len, texts)) + 1, dtype=torch.long)
    for row, text in zip(states, texts):
        row[1:2 * len(text):2] = torch.tensor([wanted[c] for c in text], dtype=torch.long)
    doubted = torch.isin(states, torch.tensor([INDEX["?"], *SHARED.values()]))
    joins = torch.zeros_like(doubted)
    joins[:, 2:] = (states[:, 2:] != states[:, :-2]) & ~(doubted[:, 2:] & doubted[:, :-2])
    ends = torch.tensor([[2 * len(text), 2 * len(text) + 1] for text in texts])
    return states, joins, ends


def doubtful(logits, texts):
    """The loss of each row of type. A digit there may be read as what it is, or doubted, and as nothing else; each has a sign of
    its own, and one doubt for two digits is wrong too.

    It is CTC's sum over all alignments. PyTorch's own has no rule for classes that overlap, and for steps that add up to more
    than one its gradient is wrong."""
    steps = logits.float().log_softmax(2)
    kept = steps[..., [INDEX[c] for c in EITHER]]
    doubt = steps[..., INDEX["?"]][..., None].expand_as(kept)
    steps = torch.cat([steps, torch.logaddexp(kept, doubt)], 2)
    states, joins, ends = (part.to(logits.device) for part in _alignment(texts))
    steps = steps.gather(2, states.expand(len(steps), -1, -1))
    # The sum over all ways to each state. A row begins with a blank or with its first sign.
    pad = torch.nn.functional.pad
    ways = steps[0].where(torch.arange(states.shape[1], device=logits.device) < 2, NEVER)
    for step in steps[1:]:
        before = pad(ways, (2, 0), value=NEVER)
        ways = step + torch.stack([ways, before[:, 1:-1], before[:, :-2].where(joins, NEVER)]).logsumexp(0)
    return -pad(ways, (1, 0), value=NEVER).gather(1, ends).logsumexp(1)


def departure(logits, taught):
    """How far each row's steps are from those of the network that must be kept to: the sum of their divergences."""
    kept = taught.float().log_softmax(2)
    return torch.nn.functional.kl_div(logits.float().log_softmax(2), kept, reduction="none", log_target=True).sum((0, 2))
