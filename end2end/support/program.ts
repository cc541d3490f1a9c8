/** The real program: started, listened to, and ended. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** How long a program may take to be up. */
const START_MS = 30_000;
/** How long it may take to end: its own drain, and then its Chromes. */
const STOP_MS = 45_000;
/** What is kept of its output, for the message of a failure. */
const OUTPUT_KEPT = 20_000;

/** The program under test. */
export function binary(): string {
  const target = process.env["CARGO_TARGET_DIR"] ?? resolve(import.meta.dirname, "../../target");
  const path = process.env["SIGNALBOX_BIN"] ?? resolve(target, "release/signalbox");
  if (!existsSync(path)) {
    throw new Error(`${path} is not there: build it by scripts/build.sh, or name one in SIGNALBOX_BIN`);
  }
  return path;
}

/** A port of the loopback that nobody listens on. */
export async function freePort(): Promise<number> {
  return new Promise((done, failed) => {
    const server = createServer();
    server.on("error", failed);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => done(port));
    });
  });
}

/** A running program. */
export class Program {
  private output = "";
  private ended: Promise<number | null>;
  private alive = true;

  private constructor(
    private readonly name: string,
    private readonly child: ChildProcess,
  ) {
    this.ended = new Promise((done) => {
      child.on("exit", (code) => {
        this.alive = false;
        done(code);
      });
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8");
      stream?.on("data", (text: string) => {
        this.output = (this.output + text).slice(-OUTPUT_KEPT);
      });
    }
  }

  /** Starts a command of the program under test. */
  static start(args: string[], env: NodeJS.ProcessEnv = {}): Program {
    // Settings of the person who runs the tests are not the tests' own.
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("SIGNALBOX_"));
    const child = spawn(binary(), args, {
      env: { ...Object.fromEntries(inherited), ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    return new Program(args[0] ?? "", child);
  }

  /** Waits until it has written what is looked for, and gives it back. */
  async says(wanted: RegExp): Promise<RegExpMatchArray> {
    return this.until(`writes ${wanted}`, async () => this.output.match(wanted));
  }

  /** Waits until an address answers well. */
  async answers(url: string): Promise<void> {
    await this.until(`answers at ${url}`, async () => {
      const answer = await fetch(url).catch(() => null);
      return answer?.ok ? true : null;
    });
  }

  private async until<T>(what: string, look: () => Promise<T | null>): Promise<T> {
    const deadline = Date.now() + START_MS;
    while (this.alive && Date.now() < deadline) {
      const found = await look();
      if (found !== null) return found;
      await sleep(50);
    }
    const why = this.alive ? `not within ${START_MS} ms` : "it ended before";
    throw new Error(`signalbox ${this.name} ${what}: ${why}\n${this.output}`);
  }

  /** Tells it to stop and waits for its end. Fails where it has to be killed, or says that it failed. */
  async stop(): Promise<void> {
    if (this.alive) this.child.kill("SIGTERM");
    const code = await Promise.race([this.ended, sleep(STOP_MS, "late" as const)]);
    if (code === "late") {
      this.child.kill("SIGKILL");
      throw new Error(`signalbox ${this.name} did not end within ${STOP_MS} ms\n${this.output}`);
    }
    if (code !== 0) throw new Error(`signalbox ${this.name} ended with ${code}\n${this.output}`);
  }
}

/** Processes that have a text in their command line; Linux only, elsewhere none. */
export function processesWith(text: string): string[] {
  if (!existsSync("/proc/self/cmdline")) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
        return line.includes(text) ? [`${pid} ${line.slice(0, 120)}`] : [];
      } catch {
        return [];
      }
    });
}
