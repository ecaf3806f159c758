"""What people who see little, move little, or listen need of a page, as far as a program can tell."""

# Runs in the page: returns what is wrong with what is shown now.
LOOK = r"""
() => {
  const wrong = [];
  const shown = (node) => node.checkVisibility({checkOpacity: true, checkVisibilityCSS: true});
  const all = (selector) => [...document.querySelectorAll(selector)].filter(shown);
  const name = (node) => {
    const by = node.getAttribute('aria-labelledby');
    if (by) return by.split(/\s+/).map((id) => document.getElementById(id)?.textContent || '').join(' ').trim();
    return (node.getAttribute('aria-label') || [...(node.labels || [])].map((label) => label.textContent).join(' ')
      || node.textContent || '').trim();
  };
  const what = (node) => `${node.tagName.toLowerCase()}#${node.id}`;

  const ids = [...document.querySelectorAll('[id]')].map((node) => node.id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) wrong.push(`the id ${id} stands twice`);
  for (const attribute of ['aria-labelledby', 'aria-describedby', 'for']) {
    for (const node of document.querySelectorAll(`[${attribute}]`)) {
      for (const id of node.getAttribute(attribute).split(/\s+/)) {
        if (!document.getElementById(id)) wrong.push(`${attribute} of ${what(node)} names ${id}, which is not there`);
      }
    }
  }
  for (const node of all('button, input, select, a[href]')) if (!name(node)) wrong.push(`${what(node)} has no name`);
  for (const node of all('img')) if (!node.hasAttribute('alt')) wrong.push(`${what(node)} has no alternative text`);
  for (const node of all('section')) if (!name(node)) wrong.push('a section has no name');
  if (all('main').length !== 1 || all('header').length !== 1) wrong.push('not one main and one header');
  if (all('h1').length !== 1) wrong.push(`${all('h1').length} headings of the first level`);
  let level = 0;
  for (const node of all('h1, h2, h3')) {
    const own = Number(node.tagName[1]);
    if (own > level + 1) wrong.push(`${what(node)} leaves a level out`);
    level = own;
  }
  if (!document.documentElement.lang || !document.title) wrong.push('no language or title');
  if (document.documentElement.scrollWidth > innerWidth) wrong.push('the page is wider than the window');

  // WCAG 2.2, 1.4.3: the contrast of text.
  const rgb = (text) => (text.match(/[\d.]+/g) || []).map(Number);
  const light = ([red, green, blue]) => {
    const part = (value) => (value /= 255, value <= .04045 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4);
    return .2126 * part(red) + .7152 * part(green) + .0722 * part(blue);
  };
  const ground = (node) => {
    for (; node; node = node.parentElement) {
      const colour = rgb(getComputedStyle(node).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  for (const node of all('body *')) {
    const text = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    if (!text || node.closest('.skip') || node.disabled || node.tagName === 'OPTION') continue;
    const [one, other] = [light(rgb(getComputedStyle(node).color)), light(ground(node))].sort((a, b) => b - a);
    const contrast = (one + .05) / (other + .05);
    if (contrast < 4.5) wrong.push(`the contrast of ${what(node)} (${node.textContent.slice(0, 20)}) is ${contrast.toFixed(2)}`);
  }
  // 2.5.8: the size of what is aimed at.
  for (const node of all('button, input, select')) {
    const {width, height} = node.getBoundingClientRect();
    if (width < 24 || height < 24) wrong.push(`${what(node)} is only ${width} x ${height}`);
  }
  return wrong;
}
"""

FOCUS = r"""
() => {
  const node = document.activeElement;
  const style = getComputedStyle(node);
  return {id: node.id, tag: node.tagName, outline: style.outlineStyle === 'none' ? 0 : parseFloat(style.outlineWidth)};
}
"""


def look(page, place):
    """Fails on what is wrong with the view that is shown, in light, in dark, and in a narrow window."""
    page.wait_for_load_state("load")
    size = page.viewport_size
    for scheme in ["dark", "light"]:
        page.emulate_media(color_scheme=scheme)
        for width in [320, size["width"]]:
            page.set_viewport_size({"width": width, "height": size["height"]})
            wrong = page.evaluate(LOOK)
            assert not wrong, f"{place}, {scheme}, {width} wide: " + "; ".join(wrong)


def tab(page, expected):
    """One step by the Tab key must lead there, and be seen."""
    page.keyboard.press("Tab")
    focus = page.evaluate(FOCUS)
    assert focus["id"] == expected, f"Tab leads to {focus}, not to {expected}"
    assert focus["outline"] >= 2, f"the focus on {expected} is not seen: {focus}"


def tab_to(page, selector, most=80):
    """Presses Tab until the focus is there; it must be seen."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            style = page.evaluate("(() => { const style = getComputedStyle(document.activeElement);"
                                  "return style.outlineStyle === 'none' ? 0 : parseFloat(style.outlineWidth); })()")
            assert style >= 2, f"the focus on {selector} is not seen"
            return
    raise AssertionError(f"Tab does not lead to {selector}")


def focused(page, id):
    """Waits until that element has the focus."""
    page.wait_for_function("(id) => document.activeElement.id === id", arg=id)
