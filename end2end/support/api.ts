/** What tests do through the API because the page is not their subject: to set up, and to wait. */
import { type APIRequestContext, expect } from "@playwright/test";

import type { Recording } from "./recordings.js";

export interface Task {
  id: string;
  name: string;
  state: string;
  flow: { name: string; version: number };
  result?: Record<string, unknown>;
  fault?: { class: string; step?: number; message: string };
  order?: string;
  attempts: { id: string; outcome?: string; evidence: string[] }[];
}

export interface NewTask {
  flow: Recording | string;
  parameters?: Record<string, string>;
  name?: string;
  key?: string;
  attempts?: number;
  not_before?: string;
}

export async function submit(request: APIRequestContext, task: NewTask): Promise<Task> {
  const answer = await request.post("/api/v1/tasks", { data: task });
  expect(answer.status(), await answer.text()).toBe(201);
  return (await answer.json()) as Task;
}

export async function task(request: APIRequestContext, id: string): Promise<Task> {
  const answer = await request.get(`/api/v1/tasks/${id}`);
  expect(answer.status()).toBe(200);
  return (await answer.json()) as Task;
}

/** Waits until a task is in a state. */
export async function reaches(request: APIRequestContext, id: string, state: string): Promise<Task> {
  await expect.poll(async () => (await task(request, id)).state, { timeout: 30_000 }).toBe(state);
  return task(request, id);
}

/** Submits a task and waits until it is in a state. */
export async function run(request: APIRequestContext, of: NewTask, state = "succeeded"): Promise<Task> {
  return reaches(request, (await submit(request, of)).id, state);
}
