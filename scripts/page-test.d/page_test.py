"""Uses the page of the view in a browser; see scripts/page-test."""

import argparse
import pathlib
import sys
import tempfile
import traceback

from playwright.sync_api import expect, sync_playwright

from host import Host
from pictures import draw
from reach import focused, look, tab
from stage import Stage


# Whether the preview is the picture with the reflection, or the one without.
SHOWN = """(glares) => {
  const preview = document.getElementById('preview');
  if (preview.naturalWidth !== 640) return false;
  const canvas = document.createElement('canvas');
  canvas.width = 640;
  canvas.height = 480;
  const context = canvas.getContext('2d');
  context.drawImage(preview, 0, 0);
  return (context.getImageData(384, 204, 1, 1).data[0] > 245) === glares;
}"""


class Visit:
    """A stage, a browser that has opened its link, and what the browser complains about."""

    def __init__(self, run):
        self.run = run
        self.pictures = run.pictures
        self.stage = Stage(run.arguments.stage, self.pictures["drawing"])
        self.context = run.browser.new_context(viewport={"width": 860, "height": 900}, reduced_motion="no-preference")
        self.context.set_default_timeout(30000)
        self.page = self.context.new_page()
        self.complaints = []
        self.page.on("console", lambda message: message.type == "error" and self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(self.stage.link)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.context.close()
        self.stage.end()
        if kind is None:
            # The browser itself reports the answers that refuse something; nothing else is forgiven.
            unforeseen = [text for text in self.complaints if "Failed to load resource" not in text]
            assert not unforeseen, f"the browser complains: {unforeseen}"

    def start(self, meter=1, unit="mg/dL"):
        """Starts a reading by keyboard and waits for the live view."""
        # The list comes in one piece; before it is there, no meter seems to have a choice of units.
        self.page.locator(f"#read-{meter}").wait_for()
        choice = self.page.locator(f"#unit-{meter}")
        if choice.count():
            choice.select_option(unit)
        self.page.locator(f"#read-{meter}").focus()
        self.page.keyboard.press("Enter")
        self.stage.expect(f"started {meter} {unit}")
        focused(self.page, "live-heading")

    def show(self, name):
        """Shows a picture and waits until the browser has drawn it."""
        self.stage.tell(f"show {self.pictures[name]}")
        self.page.wait_for_function(SHOWN, arg=name == "glare")

    def read(self, *texts):
        self.stage.tell(f"read {self.pictures['crop']} {' '.join(texts)}")
        self.stage.expect("closed completed")
        focused(self.page, "result-heading")

    def picture(self, name):
        if self.run.arguments.screenshots:
            self.page.evaluate("document.activeElement.blur()")
            self.page.screenshot(path=pathlib.Path(self.run.arguments.screenshots) / name)


def list_and_search(visit):
    page = visit.page
    assert page.url.count("/") == 3, f"the token stays in the address {page.url}"
    assert page.evaluate("document.cookie") == "", "a script can read the cookie"
    expect(page.locator("#count")).to_have_text("6 meters")
    look(page, "the list")
    visit.picture("snap-view-list.png")
    tab(page, "")  # The link that skips to the content.
    tab(page, "search")
    page.keyboard.type("pressure")
    expect(page.locator("#count")).to_have_text("1 meter")
    expect(page.get_by_role("button", name="Read Example Upper Arm")).to_be_visible()
    page.keyboard.press("Control+A")
    page.keyboard.type("no such")
    expect(page.locator("#count")).to_contain_text("No meter has this name")
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Glucose meters")).to_be_visible()
    tab(page, "unit-1")
    page.keyboard.press("ArrowDown")
    tab(page, "read-1")
    page.keyboard.press("Enter")
    visit.stage.expect("started 1 mmol/L")
    focused(page, "live-heading")
    page.keyboard.press("Escape")
    visit.stage.expect("closed cancelled")
    # The choice is still there.
    focused(page, "list-heading")
    visit.start(1, "mmol/L")


def live_view(visit):
    page = visit.page
    visit.start(1, "mmol/L")
    expect(page.get_by_role("heading", level=1)).to_have_text("Reading Example Glucose One")
    visit.show("clear")
    visit.stage.tell("see none 5.4")
    expect(page.locator("#partial dd")).to_have_text("5.4")
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate("getComputedStyle(document.getElementById('overlay')).transitionDuration") == "0s"
    frame, overlay = (page.locator(id).bounding_box() for id in ["#preview", "#overlay"])
    for side, start, length, share in [("x", 0.2, "width", 0.6), ("y", 0.15, "height", 0.7)]:
        assert abs(overlay[side] - frame[side] - start * frame[length]) < 2, (frame, overlay)
        assert abs(overlay[length] - share * frame[length]) < 2, (frame, overlay)
    assert page.evaluate("document.getElementById('overlay').naturalWidth") > 0, "the drawing is not shown"
    visit.show("glare")
    visit.stage.tell("see glare 5.")
    hint = page.locator("#hint")
    expect(hint).to_contain_text("Tilt the meter")
    assert hint.get_attribute("aria-live") == "polite"
    expect(page.locator("#glare div")).to_have_count(1)
    look(page, "the live view")
    visit.picture("snap-view.png")
    tab(page, "cancel")
    page.keyboard.press("Enter")
    visit.stage.expect("closed cancelled")
    focused(page, "list-heading")
    expect(page.locator("#notice")).to_have_text("Cancelled. Nothing was read.")
    assert page.evaluate("document.getElementById('preview').hasAttribute('src')") is False


def cancel_by_escape(visit):
    page = visit.page
    page.locator("#search").focus()
    page.keyboard.press("Escape")
    expect(page.locator("#list")).to_be_visible()
    visit.start(3, "mmHg")
    page.keyboard.press("Escape")
    visit.stage.expect("closed cancelled")
    focused(page, "list-heading")
    expect(page.locator("#live")).to_be_hidden()
    # Nothing is left over: the next reading begins.
    visit.start(3, "mmHg")
    visit.read("120", "80", "66")
    page.keyboard.press("Escape")
    expect(page.locator("#result")).to_be_visible()


def correct_and_submit(visit):
    page = visit.page
    visit.start(1, "mmol/L")
    visit.read("5.4")
    expect(page.locator("#values")).to_contain_text("5.4 mmol/L")
    page.wait_for_function("() => document.getElementById('crop').naturalWidth > 0")
    look(page, "the result")
    visit.picture("snap-view-result.png")
    tab(page, "row-0")
    field = page.get_by_label("Value", exact=True)
    page.keyboard.press("Control+A")
    page.keyboard.type("five")
    page.keyboard.press("Enter")
    expect(field).to_have_attribute("aria-invalid", "true")
    assert "error-0" in field.get_attribute("aria-describedby").split()
    expect(page.locator("#error-0")).to_contain_text("Write the number")
    focused(page, "row-0")
    look(page, "the result with an error")
    visit.stage.tell("refuse-submission no_session There is no session.")
    visit.stage.expect("refusing no_session")
    page.keyboard.press("Control+A")
    page.keyboard.type("5.6")
    page.keyboard.press("Enter")
    expect(page.locator("#summary")).to_have_text("There is no session.")
    expect(page.locator("#summary")).to_have_attribute("role", "alert")
    expect(field).not_to_have_attribute("aria-invalid", "true")
    page.keyboard.press("Enter")
    visit.stage.expect_all("submitted 5.6", "closed submitted")
    focused(page, "list-heading")
    expect(page.locator("#notice")).to_contain_text("Value 5.6 mmol/L")


def several_rows(visit):
    page = visit.page
    visit.start(3, "mmHg")
    visit.read("80", "120", "66")
    for label in ["Systolic", "Diastolic", "Pulse"]:
        expect(page.get_by_label(label, exact=True)).to_be_visible()
    tab(page, "row-0")
    page.keyboard.press("Enter")
    expect(page.locator("#summary")).to_contain_text("The second value must be below the first.")
    focused(page, "row-0")
    page.get_by_role("button", name="Discard").focus()
    page.keyboard.press("Enter")
    visit.stage.expect("closed discarded")
    focused(page, "list-heading")
    expect(page.locator("#notice")).to_have_text("Discarded. Nothing was submitted.")


def denied(visit):
    page = visit.page
    cure = "This user may not use the camera; add the user to the group video."
    visit.stage.tell(f"refuse denied {cure}")
    visit.stage.expect("refusing denied")
    page.locator("#read-1").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").filter(has_text=cure)).to_be_visible()
    focused(page, "list-heading")
    visit.start(1)
    visit.stage.tell(f"end denied {cure}")
    visit.stage.expect("closed denied")
    focused(page, "list-heading")
    expect(page.get_by_role("alert").filter(has_text=cure)).to_be_visible()
    look(page, "the list with the denied camera")


def failure_and_retry(visit):
    page = visit.page
    visit.start(4, "[degF]")
    visit.stage.tell("end camera_gone The camera was unplugged. Plug it in again.")
    visit.stage.expect("closed failed")
    focused(page, "failure-heading")
    expect(page.locator("#failure-text")).to_have_text("The camera was unplugged. Plug it in again.")
    look(page, "a failure")
    tab(page, "retry")
    page.keyboard.press("Enter")
    visit.stage.expect("started 4 [degF]")
    focused(page, "live-heading")
    visit.stage.tell("end camera_busy Another program uses the camera.")
    visit.stage.expect("closed failed")
    focused(page, "failure-heading")
    tab(page, "retry")
    tab(page, "back")
    page.keyboard.press("Enter")
    focused(page, "list-heading")


def closing_the_window_gives_the_camera_back(visit):
    visit.start(1)
    visit.show("clear")
    # The stream of pictures goes on, so the page never finishes loading.
    other = visit.context.new_page()
    other.goto(visit.page.url, wait_until="commit")
    other.locator("#read-2").click()
    expect(other.locator("#failure-text")).to_contain_text("Another reading is under way")
    visit.page.close()
    visit.stage.expect("closed cancelled")
    visit.page = other
    other.locator("#retry").click()
    visit.stage.expect("started 2 mg/dL")
    other.reload(wait_until="commit")
    visit.stage.expect("closed cancelled")
    expect(other.locator("#count")).to_have_text("6 meters")


def strangers(visit):
    stranger = visit.run.browser.new_context()
    page = stranger.new_page()
    assert page.goto(visit.page.url).status == 401
    assert page.goto(visit.stage.link).status == 401
    # A page of another server of this machine, which cookies do not tell from ours.
    outside = visit.context.new_page()
    outside.route("http://127.0.0.1:9/", lambda route: route.fulfill(body="<img id=i>", content_type="text/html"))
    outside.goto("http://127.0.0.1:9/")
    state = outside.evaluate("""(url) => new Promise((done) => {
      const image = document.getElementById('i');
      image.onload = () => done('shown');
      image.onerror = () => done('refused');
      image.src = url + 'icon.svg';
    })""", visit.page.url)
    assert state == "refused", "another local page shows our pictures"
    framed = outside.evaluate("""(url) => fetch(url + 'api/meters', {mode: 'no-cors', credentials: 'include'})
      .then((answer) => answer.type, () => 'refused')""", visit.page.url)
    assert framed == "refused", f"another local page fetches ours: {framed}"
    stranger.close()


def host_gone(visit):
    page = visit.page
    visit.start(1)
    # The page must listen before the host goes: the outcome comes as the last event.
    visit.stage.tell("see none 5.4")
    expect(page.locator("#partial dd")).to_have_text("5.4")
    visit.stage.end()
    focused(page, "list-heading")
    expect(page.locator("#notice")).to_have_text("Cancelled. Nothing was read.")
    page.locator("#read-1").click()
    expect(page.locator("#failure-text")).to_contain_text("Start meterhost snap view again")


def unit_is_asked(visit):
    page = visit.page
    choice = page.locator("#unit-5")
    assert choice.input_value() == "", "a scale has a unit that nobody has chosen"
    page.locator("#read-5").focus()
    page.keyboard.press("Enter")
    focused(page, "unit-5")
    expect(page.get_by_role("alert").filter(has_text="Choose the unit that Example Scale is set to.")).to_be_visible()
    look(page, "the list that asks for the unit")
    visit.start(5, "[lb_av]")


def submitted_once(visit):
    """The command with its driver, worker and queue: what the person corrects is what is kept, once."""
    with Host(visit.run.arguments.program, "121", "79", "64") as host:
        page = visit.context.new_page()
        page.goto(host.link)
        page.locator("#read-10101").focus()
        page.keyboard.press("Enter")
        focused(page, "result-heading")
        for row, text in enumerate(["121", "79", "64"]):
            expect(page.locator(f"#row-{row}")).to_have_value(text)
        page.wait_for_function("() => document.getElementById('crop').naturalWidth > 0")
        page.locator("#row-0").fill("131")
        # Its answer is lost on the way, and the person presses again.
        page.route("**/submit", lambda route: (route.fetch(), route.abort()), times=1)
        page.keyboard.press("Enter")
        expect(page.locator("#summary")).to_contain_text("meterhost queue list")
        page.locator("#row-0").focus()
        page.keyboard.press("Enter")
        focused(page, "list-heading")
        expect(page.locator("#notice")).to_contain_text("The reading is kept and not delivered (no_session)")
        expect(page.locator("#notice")).to_contain_text("131")
        kept = host.queue()
        assert len(kept) == 1, f"the queue holds {kept}"
        values = {value["metric"]: value["reported"] for value in kept[0]["reading"]["values"]}
        assert values == {"systolic": "131", "diastolic": "79", "pulse": "64"}, values


TESTS = [list_and_search, live_view, cancel_by_escape, correct_and_submit, several_rows, denied, failure_and_retry,
         closing_the_window_gives_the_camera_back, strangers, host_gone, unit_is_asked, submitted_once]


class Run:
    def __init__(self, arguments, browser):
        self.arguments = arguments
        self.browser = browser
        self.pictures = draw(browser, arguments.folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--browser", required=True)
    parser.add_argument("--stage", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--folder", default=tempfile.gettempdir())
    parser.add_argument("--screenshots")
    parser.add_argument("--only")
    arguments = parser.parse_args()
    failed = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=arguments.browser, args=["--no-sandbox"])
        run = Run(arguments, browser)
        tests = [test for test in TESTS if arguments.only in (None, test.__name__)]
        for test in tests:
            try:
                with Visit(run) as visit:
                    test(visit)
                print(f"passed {test.__name__}", flush=True)
            except Exception as error:
                failed += 1
                print(f"FAILED {test.__name__}: {error!r}\n{traceback.format_exc()}", flush=True)
        browser.close()
    print(f"{len(tests) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
