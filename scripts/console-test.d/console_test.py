"""Uses the console of a running host in a browser; see scripts/console-test."""

import argparse
import pathlib
import sys
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "page-test.d"))

from playwright.sync_api import expect, sync_playwright  # noqa: E402

from gateway import Encrypted, Gateway  # noqa: E402
from reach import look, tab_to  # noqa: E402

PAGES = {"overview": "/", "readings": "/readings", "held": "/readings/held", "charts": "/charts", "delivery": "/delivery",
         "meters": "/meters", "drivers": "/drivers", "log": "/log", "import": "/import", "displays": "/displays"}
RECORD = ('{"type": "weight", "time": "2026-03-01T08:00:00Z", '
          '"values": [{"metric": "body_weight", "value": 70.5, "unit": "kg"}]}')


class Visit:
    """A browser that has opened a link, and what it complains about."""

    def __init__(self, run, **options):
        self.run = run
        self.gateway = run.gateway
        self.context = run.browser.new_context(viewport={"width": 1100, "height": 900}, **options)
        self.context.set_default_timeout(30000)
        self.page = self.context.new_page()
        self.complaints = []
        self.page.on("console", lambda message: message.type in ("error", "warning")
                     and self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.link = self.gateway.link()
        self.origin = self.link.split("/open/")[0]
        self.page.goto(self.link)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.context.close()
        if kind is None:
            # The browser itself reports the answers that refuse something; nothing else is forgiven.
            unforeseen = [text for text in self.complaints if "Failed to load resource" not in text]
            assert not unforeseen, f"the browser complains: {unforeseen}"

    def go(self, path):
        self.page.goto(self.origin + path)
        return self.page

    def picture(self, name):
        if self.run.arguments.screenshots:
            self.page.screenshot(path=pathlib.Path(self.run.arguments.screenshots) / f"{name}.png", full_page=True)


def open_once(visit):
    page = visit.page
    assert page.url == visit.origin + "/", f"the token stays in the address {page.url}"
    assert page.evaluate("document.cookie") == "", "a script can read the cookie"
    answer = visit.context.request.get(visit.link, max_redirects=0)
    assert answer.status == 401, f"the link opens twice: {answer.status}"
    stranger = visit.run.browser.new_context()
    assert stranger.request.get(visit.origin + "/readings").status == 401
    stranger.close()


def fits(page, name):
    """Nothing is cut off: neither the page nor a table is wider than the window."""
    wide = page.evaluate("""() => [document.documentElement, ...document.querySelectorAll('main .scroll, main svg')]
        .filter((part) => part.scrollWidth > part.clientWidth + 1 || part.getBoundingClientRect().right > innerWidth + 1)
        .map((part) => `${part.tagName} ${part.getAttribute('aria-label') ?? ''} ${part.scrollWidth}`)""")
    assert not wide, f"{name} is wider than a telephone: {wide}"
    broken = page.evaluate("() => [...document.querySelectorAll('.when')].filter((when) => when.getClientRects().length > 1)"
                           ".map((when) => when.textContent)")
    assert not broken, f"{name} breaks inside of a date: {broken}"


def every_page(visit):
    page = visit.page
    for name, path in PAGES.items():
        visit.go(path)
        expect(page.locator("main h1")).to_be_visible()
        look(page, name)
        visit.picture(f"console-{name}")
        page.emulate_media(color_scheme="dark")
        visit.picture(f"console-{name}-dark")
        page.set_viewport_size({"width": 390, "height": 844})
        fits(page, name)
        visit.picture(f"console-{name}-phone-dark")
        page.emulate_media(color_scheme="light")
        visit.picture(f"console-{name}-phone")
        page.set_viewport_size({"width": 1100, "height": 900})
    visit.go("/readings/held")
    # A page that is looked at before its style is there has no colours of its own.
    with page.expect_navigation():
        page.locator("tbody a").first.click()
    look(page, "a reading")
    visit.picture("console-reading")
    visit.go("/meters")
    with page.expect_navigation():
        page.locator("tbody a").first.click()
    look(page, "a meter")
    visit.picture("console-meter")


def words_are_chosen(visit):
    page = visit.page
    visit.go("/readings/held")
    expect(page.locator("main")).not_to_contain_text("capillary_whole_blood")
    page.locator("tbody tr", has_text="sample location").first.locator("a").click()
    expect(page.locator("main table")).to_contain_text("capillary whole blood")
    choice = page.locator("#value-sample_location")
    assert "_" not in choice.inner_text(), "the choice shows raw words"
    choice.select_option(label="alternate site")
    page.get_by_role("button", name="Keep the correction").click()
    expect(page.locator("#notice")).to_contain_text("Corrected")
    expect(page.locator("main table")).to_contain_text("alternate site")
    expect(page.locator("#value-sample_location")).to_have_value("alternate_site")


def pictures_are_shown(visit):
    """Drawings of the catalogue arrive, and a browser that opens one by itself runs nothing of it."""
    page = visit.go("/drivers")
    pictures = page.locator("main td > ul img")
    assert pictures.count() > 5, "meters have no pictures"
    pictures.first.scroll_into_view_if_needed()
    page.wait_for_function("(image) => image.complete && image.naturalWidth > 0", arg=pictures.first.element_handle())
    answer = visit.context.request.get(visit.origin + pictures.first.get_attribute("src"))
    assert "sandbox" in answer.headers["content-security-policy"], answer.headers


def confirm_by_keyboard(visit):
    page = visit.page
    before = len(visit.gateway.held())
    visit.go("/")
    tab_to(page, ".skip", most=1)
    tab_to(page, "#attention a[href='/readings/held']")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Held readings")
    tab_to(page, "tbody a")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Reading")
    tab_to(page, "#confirm")
    page.keyboard.press("Enter")
    expect(page.locator("#notice")).to_contain_text("Confirmed")
    page.wait_for_function("document.activeElement.id === 'notice'")
    assert len(visit.gateway.held()) == before - 1, "not one reading was confirmed"


def what_has_changed_is_shown_again(visit):
    page = visit.page
    before = visit.gateway.held()
    visit.go("/readings/held")
    page.locator("tbody a").first.click()
    name = page.url.rsplit("/", 1)[1].replace("~", "#")
    field = page.locator("input[id^='value-']").first
    metric = field.get_attribute("name").removeprefix("value-")
    unit = page.locator(f"input[name='unit-{metric}']").get_attribute("value")
    visit.gateway.run("queue", "edit", name, "--value", f"{metric}=99 {unit}")
    page.locator("#confirm").click()
    expect(page.locator("[role=alert]")).to_contain_text("has changed since it was shown")
    expect(page.locator("main table")).to_contain_text("99")
    assert len(visit.gateway.held()) == len(before), "it was confirmed all the same"


def corrected_and_discarded(visit):
    page = visit.page
    visit.go("/readings/held")
    page.locator("tbody a").first.click()
    field = page.locator("input[id^='value-']").first
    field.fill("much")
    page.get_by_role("button", name="Keep the correction").click()
    expect(page.locator("#notice")).to_have_attribute("role", "alert")
    page.locator("input[id^='value-']").first.fill("101")
    page.get_by_role("button", name="Keep the correction").click()
    expect(page.locator("#notice")).to_contain_text("Corrected")
    expect(page.locator("main table")).to_contain_text("101")
    before = len(visit.gateway.held())
    page.get_by_role("button", name="Discard it").click()
    look(page, "a question")
    page.get_by_role("link", name="No, go back").click()
    assert len(visit.gateway.held()) == before
    page.get_by_role("button", name="Discard it").click()
    page.get_by_role("button", name="Discard it").click()
    expect(page.locator("#notice")).to_contain_text("Discarded")
    assert len(visit.gateway.held()) == before - 1


def lists_renew_themselves(visit):
    page = visit.page
    visit.go("/delivery")
    count = page.locator("#moments li").count()
    visit.gateway.run("submit", "record", "-", text=RECORD)
    expect(page.locator("#moments li")).not_to_have_count(count)
    expect(page.locator("#moments")).to_contain_text("delivered")


def receivers_and_doctor(visit):
    page = visit.page
    visit.go("/delivery")
    page.get_by_role("button", name="Test inform").click()
    expect(page.locator("#notice")).to_contain_text("can be reached")
    page.get_by_role("button", name="Pause inform").click()
    expect(page.locator("#notice")).to_contain_text("gets nothing")
    page.get_by_role("button", name="Let inform go on").click()
    visit.go("/log")
    page.get_by_role("button", name="Look now").click()
    expect(page.locator(".attention li").first).to_be_visible(timeout=120000)
    look(page, "the doctor")
    visit.picture("console-doctor")


def battery_and_firmware(visit):
    """The virtual meters tell neither, and the pages say so."""
    page = visit.go("/meters")
    expect(page.locator("thead").first).to_contain_text("Battery")
    expect(page.locator("main")).to_contain_text("Most meters tell neither")
    with page.expect_navigation():
        page.locator("tbody a").first.click()
    expect(page.locator("dl").first).to_contain_text("not told by this meter")


def updates_are_looked_for(visit):
    """Without a source there is nothing to install; the way to it is the same."""
    page = visit.go("/drivers")
    page.get_by_role("button", name="Look for updates").click()
    expect(page.locator("main")).to_contain_text("No source says anything")
    assert page.get_by_role("button", name="Install org").count() == 0


def log_lines_go_on(visit):
    page = visit.go("/log")
    page.locator("#level-core").select_option("debug")
    page.get_by_role("button", name="Set core").click()
    expect(page.locator("#notice")).to_contain_text("debug")
    visit.gateway.run("submit", "record", "-", text=RECORD)
    # The part looks again by itself.
    expect(page.locator("#lines")).to_contain_text("a record was committed", timeout=30000)
    assert "70.5" not in page.locator("#lines").inner_text(), "a health value stands in the log"
    page.get_by_role("link", name="More lines").click()
    expect(page.locator("h1")).to_have_text("Log lines")
    expect(page.locator("#lines")).to_contain_text("a record was committed")
    look(page, "log lines")
    visit.picture("console-log-lines")
    text = visit.context.request.get(visit.origin + "/log/lines.txt").text()
    assert "a record was committed" in text and "70.5" not in text
    visit.gateway.run("log", "set", "warning", "--area", "core")


def a_display_is_looked_at(visit):
    """The view below the console; this machine mostly has no camera, and the page says what is wrong."""
    page = visit.go("/displays")
    page.get_by_role("link", name="Read a meter with the camera").click()
    expect(page.locator("h1:visible")).to_have_text("Read a meter with the camera")
    expect(page.locator("#meters li").first).to_be_visible()
    look(page, "the view in the console")
    visit.picture("console-view")
    row = page.locator("#meters li").filter(has_not=page.locator("select")).first
    row.get_by_role("button").click()
    page.wait_for_function("() => !document.getElementById('live').hidden || !document.getElementById('failure').hidden"
                           " || document.getElementById('alarm').textContent !== ''", timeout=60000)
    page.get_by_role("link", name="Back to the console").click()
    expect(page.locator("h1")).to_have_text("Displays")


def closed_by_the_person(visit):
    page = visit.page
    page.get_by_role("button", name="Close the console").click()
    expect(page.locator("h1")).to_have_text("Open the console")
    assert visit.context.request.get(visit.origin + "/readings").status == 401


def without_javascript(run):
    with Visit(run, java_script_enabled=False) as visit:
        page = visit.page
        visit.go("/readings/held")
        page.locator("tbody a").first.click()
        page.locator("#confirm").click()
        expect(page.locator("#notice")).to_contain_text("Confirmed")


def with_a_certificate(run):
    """A host of its own that speaks TLS itself: opened by its link, closed, and opened by the password."""
    folder = pathlib.Path(run.arguments.folder) / "tls"
    with Encrypted(run.arguments.program, folder) as host:
        context = run.browser.new_context(ignore_https_errors=True)
        page = context.new_page()
        page.goto(host.link())
        expect(page.locator("h1")).to_have_text("Overview")
        assert page.url.startswith("https://localhost:"), page.url
        cookie = context.cookies()[0]
        assert cookie["secure"] and cookie["name"].startswith("__Host-"), cookie
        page.get_by_role("button", name="Close the console").click()
        page.locator("input[type=password]").fill(host.PASSWORD)
        page.keyboard.press("Enter")
        expect(page.locator("h1")).to_have_text("Overview")
        context.close()


class Run:
    def __init__(self, arguments, browser, gateway):
        (self.arguments, self.browser, self.gateway) = (arguments, browser, gateway)


def main():
    parser = argparse.ArgumentParser()
    for name in ["browser", "program", "meters", "folder"]:
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--screenshots")
    arguments = parser.parse_args()
    failed = 0
    steps = [open_once, every_page, words_are_chosen, pictures_are_shown, confirm_by_keyboard,
             what_has_changed_is_shown_again, corrected_and_discarded, lists_renew_themselves, receivers_and_doctor,
             battery_and_firmware, updates_are_looked_for, log_lines_go_on,
             a_display_is_looked_at, closed_by_the_person]
    with sync_playwright() as playwright, Gateway(arguments.program, arguments.meters, arguments.folder) as gateway:
        browser = playwright.chromium.launch(executable_path=arguments.browser, args=["--no-sandbox"])
        run = Run(arguments, browser, gateway)
        alone = [without_javascript, with_a_certificate]
        for step in steps + alone:
            try:
                if step in alone:
                    step(run)
                else:
                    with Visit(run) as visit:
                        step(visit)
                print(f"passed  {step.__name__}")
            except Exception:
                failed += 1
                print(f"FAILED  {step.__name__}\n{traceback.format_exc()}", file=sys.stderr)
        browser.close()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
