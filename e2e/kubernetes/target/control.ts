import { createServer, type IncomingMessage, type Server } from "node:http";
import { text } from "node:stream/consumers";
import type { Answering } from "@sonde/testing/recording-target/answering";

export interface Hook {
  path: string;
  /** Header `webhook-id`, the same when a message is sent again. */
  id: string;
  atMs: number;
  body: string;
}

const [maxHooks, maxBodyBytes] = [50_000, 65_536];

/**
 * HTTP interface to control the target:
 * `GET /arrivals?from=<n>` returns {ids, timesMs} of the requests from the n-th.
 * `POST /settle`, `/settle/not`, `/switch/<id>/well` and `/switch/<id>/failing`: see `answering.ts`.
 * `POST /hook/<name>` records a webhook and responds with 200; `GET /hooks` returns all of them.
 */
export function createControl(answering: Answering): Server {
  const hooks: Hook[] = [];
  const answer = async (request: IncomingMessage): Promise<unknown> => {
    const url = new URL(request.url ?? "/", "http://target");
    const [, noun, id, state] = url.pathname.split("/");
    switch (`${request.method} ${noun}`) {
      case "GET healthz":
        return {};
      case "GET arrivals": {
        const from = Number(url.searchParams.get("from") ?? 0);
        return { ids: answering.ids.slice(from), timesMs: answering.timesMs.slice(from) };
      }
      case "GET hooks":
        return hooks;
      case "POST settle":
        answering.settle(id === undefined);
        return {};
      case "POST switch":
        answering.turn(Number(id), state === "well");
        return {};
      case "POST hook": {
        const body = (await text(request)).slice(0, maxBodyBytes);
        if (hooks.length < maxHooks)
          hooks.push({ path: url.pathname, id: String(request.headers["webhook-id"] ?? ""), atMs: Date.now(), body });
        return {};
      }
      default:
        return undefined;
    }
  };
  return createServer((request, response) => {
    answer(request).then(
      (body) => {
        const status = body === undefined ? 404 : 200;
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body ?? {}));
      },
      () => response.destroy(),
    );
  });
}
