/** An answer of the gateway; `status` 0 where none came. */
export interface Answer<Body = Record<string, unknown>> {
  status: number;
  body: Body;
  /** By which the audit knows it. */
  requestId?: string | undefined;
}

export type Call = <Body = Record<string, unknown>>(
  method: string,
  path: string,
  body?: unknown,
  token?: string,
) => Promise<Answer<Body>>;

/** Longer than the gateway waits for any service. */
const patienceMs = 20_000;

/** Calls the gateway once, whatever comes of it. */
export function callsOf(url: string): Call {
  return async <Body>(method: string, path: string, body?: unknown, token?: string) => {
    try {
      const response = await fetch(url + path, {
        method,
        signal: AbortSignal.timeout(patienceMs),
        headers: {
          "content-type": "application/json",
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const requestId = response.headers.get("x-request-id") ?? undefined;
      const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
      const read = isJson ? await response.json() : { text: await response.text() };
      return { status: response.status, body: read as Body, requestId };
    } catch {
      // A killed gateway takes its connections along; what it had passed on may have happened.
      return { status: 0, body: {} as Body };
    }
  };
}

/** Asks until it is answered with 200. @throws Error after many attempts */
export async function surely<Body>(call: Call, path: string, token: string): Promise<Body> {
  for (let attempt = 1; ; attempt++) {
    const { status, body } = await call<Body>("GET", path, undefined, token);
    if (status === 200) return body;
    if (attempt === 60) throw new Error(`GET ${path} answers ${status}: ${JSON.stringify(body)}`);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}
