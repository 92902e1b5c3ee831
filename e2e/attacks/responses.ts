/** Counts responses by status, for example `12 × 200, 3 × 429`. Status 0 counts as "none". */
export function countResponses() {
  const counts = new Map<number, number>();
  return {
    add: (status: number) => void counts.set(status, (counts.get(status) ?? 0) + 1),
    text: () =>
      [...counts]
        .sort(([one], [other]) => one - other)
        .map(([status, count]) => `${count} × ${status === 0 ? "none" : status}`)
        .join(", ") || "none",
  };
}

/** Posts JSON or bytes and returns the status, 0 without a response. */
export async function post(url: string, token: string, body: unknown, headers: Record<string, string> = {}) {
  return fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    body: body instanceof Uint8Array ? body.slice() : JSON.stringify(body),
    signal: AbortSignal.timeout(120_000),
  }).then(
    async (response) => (await response.arrayBuffer(), response.status),
    () => 0,
  );
}
