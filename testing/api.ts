/** Client of the public HTTP API. */
export type Api = {
  get<Answer>(path: string): Promise<Answer>;
  send<Answer>(method: "POST" | "PUT" | "DELETE", path: string, body?: unknown): Promise<Answer>;
};

type Failure = { success: false; message: string; code: string };

/** @throws Error with status and message for any unsuccessful response */
export function apiOf(baseUrl: string, token?: string): Api {
  const call = async <Answer>(method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(baseUrl + path, {
      method,
      signal: AbortSignal.timeout(60_000),
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Answer | Failure;
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer as Answer;
  };
  return { get: (path) => call("GET", path), send: (method, path, body) => call(method, path, body) };
}

/** Credentials of the first account. */
export const admin = { username: "ada", password: "correct horse battery" };

/** Registers the first account, an administrator, and logs in. */
export async function firstAdmin(baseUrl: string): Promise<{ api: Api; token: string }> {
  const anyone = apiOf(baseUrl);
  await anyone.send("POST", "/api/auth/register", admin);
  const { token } = await anyone.send<{ token: string }>("POST", "/api/auth/login", admin);
  return { api: apiOf(baseUrl, token), token };
}
