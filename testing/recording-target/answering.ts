import type { Socket } from "node:net";

const answer = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
const refusal = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
const [slowMs, turnMs] = [250, 20_000];

/** Responses of a target for checks, and a record of its requests. */
export interface Answering {
  serve(socket: Socket): void;
  /** Ids and times (epoch milliseconds with fractions) of all requests, in order of arrival. */
  ids: number[];
  timesMs: number[];
  /**
   * After `settle()`, `/flap/<id>` is healthy for even ids and failing for odd ones. `settle(false)` makes it alternate
   * again.
   */
  settle(settled?: boolean): void;
  /** Sets whether `/switch/<id>` is healthy. Initially it is. */
  turn(id: number, well: boolean): void;
}

/**
 * Responds to `/ok/<id>` with 200, to `/slow/<id>` after a delay, to `/flap/<id>` alternately with 200 and 503, to
 * `/switch/<id>` as set, and never to `/hang/<id>`. Works on raw sockets, because the target shares its cores with the
 * measured runner.
 */
export function createAnswering(): Answering {
  const ids: number[] = [];
  const timesMs: number[] = [];
  const failing = new Set<number>();
  let settled = false;
  /** Ids alternate at different times. After settling, even ids are healthy. */
  const isWell = (id: number) => (settled ? id % 2 === 0 : Math.floor((Date.now() + id * 1700) / turnMs) % 2 === 0);
  return {
    ids,
    timesMs,
    settle: (given = true) => void (settled = given),
    turn: (id, well) => void (well ? failing.delete(id) : failing.add(id)),
    serve(socket) {
      socket.on("error", () => socket.destroy());
      socket.once("data", (head: Buffer) => {
        const [, kind, text] = /^\w+ \/(\w+)\/(\d+)/.exec(head.toString("latin1", 0, 100)) ?? [];
        const id = Number(text);
        ids.push(id);
        timesMs.push(performance.timeOrigin + performance.now());
        if (kind === "ok") socket.end(answer);
        else if (kind === "slow") setTimeout(() => socket.end(answer), slowMs);
        else if (kind === "flap") socket.end(isWell(id) ? answer : refusal);
        else if (kind === "switch") socket.end(failing.has(id) ? refusal : answer);
      });
    },
  };
}
