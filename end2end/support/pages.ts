/** How people use the control room's pages: by roles and labels. */
import { type Locator, type Page, expect } from "@playwright/test";

/** Opens a sign-in link, chooses name and password, and is in. */
export async function signInByLink(
  page: Page,
  link: string,
  { name, password }: { name: string; password: string },
): Promise<void> {
  await page.goto(link);
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
}

/** Signs in by name and password. */
export async function signIn(page: Page, name: string, password: string): Promise<void> {
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Goes to a page by the navigation. */
export async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
}

/** The submit page's field for a recording. */
export function recordingField(page: Page): Locator {
  return page.getByRole("textbox", { name: "Recording" });
}

/** Drops a file on the recording's field, as from a folder of the desktop. */
export async function dropRecording(page: Page, name: string, text: string): Promise<void> {
  // Before the page's code is there a file falls on deaf ears.
  await expect(page.locator(".recording.is-here")).toBeVisible();
  const dataTransfer = await page.evaluateHandle(
    ([name, text]) => {
      const data = new DataTransfer();
      data.items.add(new File([text ?? ""], name ?? "", { type: "application/json" }));
      return data;
    },
    [name, text],
  );
  await recordingField(page).dispatchEvent("dragover", { dataTransfer });
  await recordingField(page).dispatchEvent("drop", { dataTransfer });
}

/** Sends the submit page's form and is on the task's page: the task's id. */
export async function sendTask(page: Page): Promise<string> {
  await page.getByRole("button", { name: "Submit the task" }).click();
  await expect(page).toHaveURL(/\/tasks\/[0-9a-f-]{36}/);
  const id = /\/tasks\/([0-9a-f-]{36})/.exec(page.url())?.[1];
  return id ?? "";
}

/** Where a task's page says that the task stands. */
export function taskState(page: Page): Locator {
  return page.locator(".task-state");
}

/** Looks at a page again and again, as somebody without scripts has to, until something is on it. */
export async function reloadUntil(page: Page, look: () => Promise<void>): Promise<void> {
  await expect(async () => {
    await page.reload();
    await look();
  }).toPass({ timeout: 30_000 });
}
