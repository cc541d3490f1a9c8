import { defineConfig, devices } from "@playwright/test";

import { browserArguments, browserBinary } from "./support/browser.js";

const executablePath = browserBinary();

export default defineConfig({
  testDir: "tests",
  outputDir: "test-results",
  // One server for all tests of a worker, and the machine's cores for the server's own Chromes.
  workers: 1,
  fullyParallel: false,
  forbidOnly: Boolean(process.env["CI"]),
  retries: 0,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [["list"]],
  use: {
    ...devices["Desktop Chrome"],
    headless: true,
    locale: "en-GB",
    timezoneId: "UTC",
    screenshot: "only-on-failure",
    trace: "retain-on-failure",
    launchOptions: { args: browserArguments(), ...(executablePath ? { executablePath } : {}) },
  },
});
