/** Which browser the tests look through. */
import { existsSync } from "node:fs";

const KNOWN = [
  "/usr/bin/chromium",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/usr/bin/chromium-browser",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** CHROMIUM where it is set, else one that is installed, else what Playwright itself brought. */
export function browserBinary(): string | undefined {
  return process.env["CHROMIUM"] ?? KNOWN.find((path) => existsSync(path));
}

/** Flags that keep the browser from calling anyone but the pages under test. */
export function browserArguments(): string[] {
  const flags = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ];
  // Chrome's sandbox cannot work for root.
  if (process.getuid?.() === 0) flags.push("--no-sandbox");
  return flags;
}
