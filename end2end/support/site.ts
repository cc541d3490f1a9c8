/** The practice site of a test, and what it says of itself. */
import { Program, freePort } from "./program.js";

/** One request that came in. */
export interface Hit {
  at_ms: number;
  method: string;
  host: string;
  path: string;
  query: string[];
  status?: number;
}

export class PracticeSite {
  private constructor(
    private readonly program: Program,
    readonly port: number,
  ) {}

  static async start(): Promise<PracticeSite> {
    const port = await freePort();
    const program = Program.start(["practice-site", "--listen", `127.0.0.1:${port}`]);
    await program.answers(`http://127.0.0.1:${port}/`);
    return new PracticeSite(program, port);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The name that gates and rules know it by. */
  get domain(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** What came in, oldest first. */
  async hits(): Promise<Hit[]> {
    const answer = await fetch(`${this.url}/control/log.json`);
    return ((await answer.json()) as { entries: Hit[] }).entries;
  }

  /** How many orders were placed. */
  async orders(): Promise<number> {
    const answer = await fetch(`${this.url}/control/orders.json`);
    return ((await answer.json()) as { count: number }).count;
  }

  /** Redesigns the shop for everyone: `1`, `2`, `1-swap`, `2-trade-remove`… */
  async redesign(design: string): Promise<void> {
    await this.post("/control/design", { design });
  }

  /** Forgets everything, the design too. */
  async reset(): Promise<void> {
    await this.post("/control/reset", {});
  }

  private async post(path: string, fields: Record<string, string>): Promise<void> {
    const answer = await fetch(this.url + path, { method: "POST", body: new URLSearchParams(fields) });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
  }

  async stop(): Promise<void> {
    await this.program.stop();
  }
}
