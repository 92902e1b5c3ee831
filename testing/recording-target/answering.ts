import type { Socket } from "node:net";

const answer = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
const refusal = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
const [slowMs, turnMs] = [250, 20_000];

/** What a target for checks answers, and what it saw. */
export interface Answering {
  serve(socket: Socket): void;
  /** Ids and instants (epoch milliseconds with fractions) of all requests, in the order of their arrival. */
  ids: number[];
  timesMs: number[];
  /** From now on `/flap/<id>` is well where the id is even, and is not where it is odd; or changes by turns again. */
  settle(settled?: boolean): void;
  /** From now on `/switch/<id>` is well or is not; it is well at first. */
  turn(id: number, well: boolean): void;
}

/**
 * Answers `/ok/<id>` with 200, `/slow/<id>` after a while, `/flap/<id>` with 200 and 503 by turns, `/switch/<id>` as it was
 * set, and never answers `/hang/<id>`. Straight on sockets: what is measured is the runner, and the target shares its cores.
 */
export function createAnswering(): Answering {
  const ids: number[] = [];
  const timesMs: number[] = [];
  const failing = new Set<number>();
  let settled = false;
  /** Each has its own turn, and in the end every second one is well. */
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
