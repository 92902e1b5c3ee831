import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

export interface TargetOptions {
  /** PEM; without it nothing listens for HTTPS. */
  key?: string;
  cert?: string;
}

export interface TargetPorts {
  http: number;
  https: number;
}

/** Requests in the order of their arrival; times are epoch milliseconds with fractions. */
export interface Arrivals {
  ids: Uint32Array;
  timesMs: Float64Array;
}

export interface LoopbackTarget {
  ports: TargetPorts;
  /** What arrived since the last call. */
  take(): Promise<Arrivals>;
  /** From now on `/flap/<id>` is well where the id is even, and is not where it is odd. */
  settle(): void;
  close(): Promise<void>;
}

/** Starts the target as a process of its own. */
export async function startRecordingTarget(options: TargetOptions = {}): Promise<LoopbackTarget> {
  const child: ChildProcess = fork(new URL("./process.ts", import.meta.url), [JSON.stringify(options)], {
    serialization: "advanced",
  });
  const [ports] = (await once(child, "message")) as [TargetPorts];
  return {
    ports,
    async take() {
      const answer = once(child, "message");
      child.send("take");
      const [arrivals] = (await answer) as [Arrivals];
      return arrivals;
    },
    settle: () => void child.send("settle"),
    async close() {
      const exited = once(child, "exit");
      child.disconnect();
      await exited;
    },
  };
}
