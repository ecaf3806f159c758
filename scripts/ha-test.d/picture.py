"""Takes a picture of the meter's page in Home Assistant; the tokens come on standard input.
Usage: picture.py BASE FILE"""
import json
import sys
import time

from playwright.sync_api import sync_playwright

base, file = sys.argv[1:]
tokens = json.load(sys.stdin)
tokens |= {"hassUrl": base, "clientId": f"{base}/", "expires": int((time.time() + tokens["expires_in"]) * 1000)}
DEVICE = """() => Object.values(document.querySelector('home-assistant')?.hass?.devices ?? {})
  .find(device => device.name === 'Station')?.id"""

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
    page = browser.new_page(viewport={"width": 1180, "height": 900})
    # Before any script of the page, which would ask for a password.
    page.add_init_script(f"localStorage.setItem('hassTokens', {json.dumps(json.dumps(tokens))})")
    page.goto(f"{base}/lovelace/0")
    handle = page.wait_for_function(DEVICE, timeout=120_000)
    page.goto(f"{base}/config/devices/device/{handle.json_value()}")
    try:
        # Values and pictures of entities come after the page.
        page.get_by_text("36.6").first.wait_for(timeout=180_000)
    finally:
        # Of a page that is not as it should be there is something to look at.
        page.screenshot(path=file)
    browser.close()
