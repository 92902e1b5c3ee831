import { createServer, type IncomingMessage, type Server } from "node:http";
import { text } from "node:stream/consumers";
import type { Answering } from "@sonde/testing/recording-target/answering";

/** A webhook that was called. */
export interface Hook {
  path: string;
  /** The header `webhook-id`: the same where a message is sent again. */
  id: string;
  atMs: number;
  body: string;
}

const [maxHooks, maxBodyBytes] = [50_000, 65_536];

/**
 * What is asked of the target beside its checks:
 * `GET /arrivals?from=<n>`: {ids, timesMs} of the requests from the n-th on; asking again loses nothing.
 * `POST /settle` and `POST /settle/not`; `POST /switch/<id>/well` and `/switch/<id>/failing`: see `answering.ts`.
 * `POST /hook/<name>`: a webhook, noted and answered with 200; `GET /hooks`: all of them.
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
