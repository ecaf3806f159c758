"""The console, as a person at another window of the same desk uses it."""

import pathlib

from playwright.sync_api import expect

from reach import tab_to


class Browsing:
    def __init__(self, browser, pictures):
        self.pictures = pathlib.Path(pictures)
        self.pictures.mkdir(parents=True, exist_ok=True)
        for old in self.pictures.glob("*.png"):
            old.unlink()
        context = browser.new_context(viewport={"width": 1100, "height": 900})
        context.set_default_timeout(30000)
        self.page = context.new_page()
        self.complaints = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def picture(self, name):
        if self.page.url != "about:blank":
            self.page.screenshot(path=self.pictures / f"{name}.png", full_page=True)

    def confirm(self, link):
        """Opens the link and confirms the first reading that is held, without a mouse."""
        page = self.page
        page.goto(link)
        self.origin = link.split("/open/")[0]
        expect(page.locator("#attention")).to_be_visible()
        self.picture("1-overview")
        tab_to(page, "#attention a[href='/readings/held']")
        page.keyboard.press("Enter")
        expect(page.locator("h1")).to_have_text("Held readings")
        self.picture("2-held")
        tab_to(page, "tbody a")
        page.keyboard.press("Enter")
        expect(page.locator("h1")).to_have_text("Reading")
        self.picture("3-reading")
        tab_to(page, "#confirm")
        page.keyboard.press("Enter")
        expect(page.locator("#notice")).to_contain_text("Confirmed")
        self.picture("4-confirmed")

    def after(self):
        """What the person sees when it was delivered."""
        self.page.goto(self.origin + "/delivery")
        expect(self.page.locator("#moments")).to_contain_text("delivered")
        self.picture("5-delivered")
        assert not self.complaints, f"the browser complains: {self.complaints}"
