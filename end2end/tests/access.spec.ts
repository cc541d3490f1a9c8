/** Who gets in, and how. */
import { ADMIN, expect, expectAccessible, signedIn, test } from "../support/fixtures.js";
import { signIn } from "../support/pages.js";

test.use({ baseURL: async ({ room }, use) => use(room.url) });

test("a stranger is sent to sign in, and from there to where he wanted to go", async ({ page, session }) => {
  expect(session.cookies).toHaveLength(1);
  await page.goto("/tasks?state=failed");
  await expect(page.getByRole("heading", { level: 1, name: "Sign in" })).toBeVisible();
  await expectAccessible(page);
  await signIn(page, ADMIN.name, ADMIN.password);
  await expect(page).toHaveURL(/\/tasks\?state=failed$/);
});

test("a wrong password is refused and the name is kept", async ({ page, session }) => {
  expect(session.cookies).toHaveLength(1);
  await page.goto("/sign-in");
  await signIn(page, ADMIN.name, "not the password");
  await expect(page.getByRole("alert")).toBeVisible();
  await expect(page.getByLabel("Name")).toHaveValue(ADMIN.name);
  await expectAccessible(page);
});

test("a sign-in link that was used is used up", async ({ page, room, session }) => {
  expect(session.cookies).toHaveLength(1);
  const answer = await page.goto(room.signInLink);
  expect(answer?.status()).toBe(401);
  await expect(page.getByRole("alert")).toContainText("has been used");
});

test("nothing but the open pages answers without a key", async ({ request }) => {
  for (const path of ["/api/v1/tasks", "/api/v1/overview", "/api/v1/events", "/api/openapi.json", "/metrics"]) {
    expect((await request.get(path)).status(), path).toBe(401);
  }
  expect((await request.get("/healthz")).status()).toBe(200);
});

signedIn("signing out ends the session on the server too", async ({ page, room }) => {
  // A session of its own: the one that all tests share must live on.
  await page.context().clearCookies();
  await page.goto("/sign-in");
  await signIn(page, ADMIN.name, ADMIN.password);
  const cookies = await page.context().cookies();
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Sign in" })).toBeVisible();
  await page.context().addCookies(cookies);
  const answer = await page.request.get(`${room.url}/api/v1/tasks`);
  expect(answer.status()).toBe(401);
});
