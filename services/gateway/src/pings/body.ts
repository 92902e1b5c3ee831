import { clipLines } from "@sonde/kit/clip";
import { hasBody } from "@sonde/kit/http/request-body";
import type { IncomingMessage, ServerResponse } from "node:http";

/** What is kept of a body. The rest is read and dropped, so that its sender gets to read the answer. */
export const storedBytes = 10_000;
const maxBytes = 32 * 2 ** 20;
const deadlineMs = 10_000;

/**
 * The beginning of what a job sent, as well-formed text; undefined without a body, null where the sender left. A body that is
 * slow or endless is waited for no longer: the address has said what matters, and the connection ends with the answer.
 */
export function readOutput(request: IncomingMessage, response: ServerResponse): Promise<string | undefined | null> {
  if (!hasBody(request)) return Promise.resolve(undefined);
  if (request.headers.expect !== undefined) response.writeContinue();
  return new Promise((resolve) => {
    const kept: Buffer[] = [];
    let [sizeBytes, keptSoFar] = [0, 0];
    const settle = (output: string | undefined | null) => {
      clearTimeout(timer);
      request.off("data", onData).off("end", onEnd).off("close", onBroken);
      resolve(output);
    };
    const cut = () => {
      response.shouldKeepAlive = false;
      settle(textOf(kept, true));
    };
    const onData = (chunk: Buffer) => {
      const part = chunk.subarray(0, storedBytes - keptSoFar);
      if (part.length > 0) kept.push(part);
      keptSoFar += part.length;
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) cut();
    };
    const onEnd = () => settle(textOf(kept, sizeBytes > storedBytes));
    const onBroken = () => settle(null);
    const timer = setTimeout(cut, deadlineMs);
    request.on("data", onData).on("end", onEnd).on("close", onBroken);
    request.on("error", () => {});
  });
}

/** @param isCut whether it may end within a character, which is left out then */
function textOf(parts: readonly Buffer[], isCut: boolean): string | undefined {
  const text = new TextDecoder().decode(Buffer.concat(parts), { stream: isCut });
  return wellFormed(text);
}

/** A text that may be stored: without control characters, and not too long. Undefined where nothing is left. */
export const wellFormed = (text: string): string | undefined => clipLines(text, storedBytes) || undefined;
