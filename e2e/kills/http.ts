/** A response of the gateway; `status` is 0 without one. */
export interface Answer<Body = Record<string, unknown>> {
  status: number;
  body: Body;
  /** Identifies the request in the audit log. */
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
      // A killed gateway drops its connections. Requests that it had forwarded may have taken effect.
      return { status: 0, body: {} as Body };
    }
  };
}

/** Repeats a GET until the status is 200. @throws Error after 60 attempts */
export async function getWithRetries<Body>(call: Call, path: string, token: string): Promise<Body> {
  for (let attempt = 1; ; attempt++) {
    const { status, body } = await call<Body>("GET", path, undefined, token);
    if (status === 200) return body;
    if (attempt === 60) throw new Error(`GET ${path} returned ${status}: ${JSON.stringify(body)}`);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}
