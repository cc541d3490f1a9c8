/** How people use the control room's pages: by roles and labels. */
import { type Page, expect } from "@playwright/test";

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
