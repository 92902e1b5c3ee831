import { clipLines } from "@sonde/kit/clip";
import { hasBody } from "@sonde/kit/http/request-body";
import type { IncomingMessage, ServerResponse } from "node:http";

/** The rest of a body is read and discarded: the sender may only read the response afterwards. */
export const maxStoredBytes = 10_000;
const maxBytes = 32 * 2 ** 20;
const deadlineMs = 10_000;

/** Returns `null` if the sender disconnected. Cuts off slow and endless bodies: the URL already says what happened. */
export function readOutput(request: IncomingMessage, response: ServerResponse): Promise<string | undefined | null> {
  if (!hasBody(request)) return Promise.resolve(undefined);
  if (request.headers.expect !== undefined) response.writeContinue();
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let [sizeBytes, storedBytes] = [0, 0];
    const settle = (output: string | undefined | null) => {
      clearTimeout(timer);
      request.off("data", onData).off("end", onEnd).off("close", onBroken);
      resolve(output);
    };
    const cut = () => {
      response.shouldKeepAlive = false;
      settle(textOf(chunks, true));
    };
    const onData = (chunk: Buffer) => {
      const part = chunk.subarray(0, maxStoredBytes - storedBytes);
      if (part.length > 0) chunks.push(part);
      storedBytes += part.length;
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) cut();
    };
    const onEnd = () => settle(textOf(chunks, sizeBytes > maxStoredBytes));
    const onBroken = () => settle(null);
    const timer = setTimeout(cut, deadlineMs);
    request.on("data", onData).on("end", onEnd).on("close", onBroken);
    request.on("error", () => {});
  });
}

/** @param isCut true if the bytes may end inside a character, which is then dropped */
function textOf(parts: readonly Buffer[], isCut: boolean): string | undefined {
  const text = new TextDecoder().decode(Buffer.concat(parts), { stream: isCut });
  return wellFormed(text);
}

export const wellFormed = (text: string): string | undefined => clipLines(text, maxStoredBytes) || undefined;
