/**
 * One server-sent event as the wire has it. Without data it is no event, but its id still is where to resume, and
 * `retryMs` how long the server wants its client to wait before it comes back.
 */
export type ServerSentFrame = { event: string; data: string | null; id: string | null; retryMs?: number };

/**
 * Reads server-sent events from chunks of text, by the rules of the HTML standard (§9.2.6, "event stream interpretation").
 * `push` answers the frames that a chunk completed; comments yield none.
 */
export function createFrameReader() {
  let rest = "";
  let event = "";
  let data: string[] = [];
  let id: string | null = null;
  let retryMs: number | null = null;

  function take(line: string): ServerSentFrame | null {
    if (line === "") {
      const isFrame = data.length > 0 || id !== null || retryMs !== null;
      const text = data.length > 0 ? data.join("\n") : null;
      const frame = { event: event || "message", data: text, id, ...(retryMs === null ? {} : { retryMs }) };
      event = "";
      data = [];
      id = null;
      retryMs = null;
      return isFrame ? frame : null;
    }
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") event = value;
    else if (field === "data") data.push(value);
    else if (field === "id" && !value.includes("\0")) id = value;
    else if (field === "retry" && /^\d+$/.test(value)) retryMs = Number(value);
    return null;
  }

  return {
    push(chunk: string): ServerSentFrame[] {
      rest += chunk;
      // A CR at the very end may be the first half of a CRLF: it waits for the next chunk.
      const partial = rest.endsWith("\r") ? "\r" : "";
      const lines = rest.slice(0, rest.length - partial.length).split(/\r\n|\n|\r/);
      rest = (lines.pop() ?? "") + partial;
      return lines.map(take).filter((frame) => frame !== null);
    },
  };
}
