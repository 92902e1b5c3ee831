import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

export interface TargetOptions {
  /** PEM. Without it there is no HTTPS listener. */
  key?: string;
  cert?: string;
}

export interface TargetPorts {
  http: number;
  https: number;
}

/** Requests in order of arrival. Times are epoch milliseconds with fractions. */
export interface Arrivals {
  ids: Uint32Array;
  timesMs: Float64Array;
}

export interface LoopbackTarget {
  ports: TargetPorts;
  /** Arrivals since the last call. */
  take(): Promise<Arrivals>;
  /** After this, `/flap/<id>` is healthy for even ids and failing for odd ones. */
  settle(): void;
  close(): Promise<void>;
}

/** Starts the target in its own process. */
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
