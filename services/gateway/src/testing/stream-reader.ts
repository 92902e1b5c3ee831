type Received = { event: string; id: string | null; data: unknown };

/** Opens /api/events like the web app, and reads its frames. */
export const openStream = (url: string, token: string, lastEventId?: string) =>
  readStream(`${url}/api/events`, { authorization: `Bearer ${token}` }, lastEventId);

export const openPublicStream = (url: string) => readStream(`${url}/api/status/events`, {});

async function readStream(address: string, headers: Record<string, string>, lastEventId?: string) {
  const abort = new AbortController();
  const response = await fetch(address, {
    headers: { ...headers, ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }) },
    signal: abort.signal,
  });
  const chunks = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let lastId = lastEventId ?? null;

  /** The next frame with data; `null` at the end. */
  const next = async (): Promise<Received | null> => {
    for (;;) {
      const end = rest.indexOf("\n\n");
      if (end === -1) {
        const { value, done } = await chunks.read();
        if (done) return null;
        rest += value;
        continue;
      }
      const lines = rest.slice(0, end).split("\n");
      rest = rest.slice(end + 2);
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const [event, id, data] = [field("event"), field("id") ?? null, field("data")];
      lastId = id ?? lastId;
      if (event !== undefined && data !== undefined) return { event, id, data: JSON.parse(data) as unknown };
    }
  };
  return { response, next, lastId: () => lastId, close: () => abort.abort() };
}
