"""The script that one would write without Pagehand to visit a page once: python script.py BROWSER ADDRESS."""

import sys

from playwright.sync_api import sync_playwright

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=sys.argv[1])
    page = browser.new_page()
    page.goto(sys.argv[2])
    print(page.title())
    browser.close()
