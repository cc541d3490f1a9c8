/** A control room of a test: the server with a data folder of its own, and a practice site it may reach. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { Program, binary, freePort, processesWith } from "./program.js";
import { PracticeSite } from "./site.js";

/** Gates that let tests pass; what gates do is tested where they are the subject. */
const WIDE_GATES = {
  SIGNALBOX_GATE__DOMAIN_PER_S: "50",
  SIGNALBOX_GATE__DOMAIN_BURST: "50",
  SIGNALBOX_GATE__DOMAIN_CONCURRENCY: "4",
};

export class Room {
  private link = "";

  private constructor(
    private readonly server: Program,
    private readonly data: string,
    readonly site: PracticeSite,
    readonly url: string,
  ) {}

  static async start(settings: NodeJS.ProcessEnv = WIDE_GATES): Promise<Room> {
    const site = await PracticeSite.start();
    const data = await mkdtemp(join(tmpdir(), "signalbox-e2e-"));
    const listen = `127.0.0.1:${await freePort()}`;
    const server = Program.start(["--data", data, "serve", "--listen", listen], {
      SIGNALBOX_EGRESS__ALLOW: `${site.domain},localhost:${site.port}`,
      ...settings,
    });
    const room = new Room(server, data, site, `http://${listen}`);
    try {
      room.link = (await server.says(/^sign-in: (http:\/\/\S+)$/m))[1] ?? "";
      await server.answers(`${room.url}/readyz`);
      return room;
    } catch (error) {
      await room.stop().catch(() => []);
      throw error;
    }
  }

  /** The link that makes the first admin, as the server prints it. */
  get signInLink(): string {
    return this.link;
  }

  /** Makes an account: the link that sets its password. */
  async invite(name: string, role: string): Promise<string> {
    const { stdout } = await promisify(execFile)(binary(), ["--data", this.data, "user", "add", name, "--role", role]);
    return this.url + (/\/sign-in\?once=\S+/.exec(stdout)?.[0] ?? "");
  }

  /** Ends the server and the site, and removes the data. Gives back what the server left running. */
  async stop(): Promise<string[]> {
    try {
      await this.server.stop();
      return processesWith(this.data);
    } finally {
      await this.site.stop();
      await rm(this.data, { recursive: true, force: true });
    }
  }
}
