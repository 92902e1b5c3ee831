import { request } from "node:http";

export type Sent = { host?: string; cookie?: string; form?: Record<string, string> };

/** Sends a request with any host name, as a proxy in front of Sonde does. */
export function ask(origin: string, path: string, { host = "127.0.0.1", cookie: sent, form }: Sent = {}) {
  const body = form === undefined ? undefined : new URLSearchParams(form).toString();
  const headers = {
    host,
    accept: "text/html",
    "accept-language": "en",
    ...(sent !== undefined && { cookie: sent }),
    ...(body !== undefined && { "content-type": "application/x-www-form-urlencoded" }),
  };
  const method = body === undefined ? "GET" : "POST";
  return new Promise<{ status: number; text: string; cookie: string; location: string }>((resolve, reject) => {
    request(origin + path, { method, headers }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => {
        const set = response.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
        resolve({ status: response.statusCode!, text, cookie: set, location: response.headers.location ?? "" });
      });
    })
      .on("error", reject)
      .end(body);
  });
}
