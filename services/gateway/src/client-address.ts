import { type Cidr, withoutMapping } from "@sonde/kit/addresses";
import { isTrusted } from "@sonde/kit/http/caller";
import type { IncomingMessage } from "node:http";

export { clientAddress } from "@sonde/kit/http/caller";

/** Whether a request came straight from an address of the list. */
export const comesFrom = (request: IncomingMessage, trusted: readonly Cidr[]): boolean =>
  isTrusted(withoutMapping(request.socket.remoteAddress ?? ""), trusted);
