import { StartupError } from "@sonde/kit/embedded/startup-error";
import type { Log } from "@sonde/kit/service/log";
import { reportWait } from "@sonde/kit/service/waiting";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { send } from "../http.ts";

export type KubernetesResponse = { status: number; body: unknown };

/** A request to the API server. A patch is a JSON merge patch (RFC 7386). */
type Question = { method: "GET" | "POST" | "PATCH"; path: string; body?: object };

/** Retries until there is an answer to the request itself. */
export type KubernetesClient = { namespace: string; ask: (question: Question) => Promise<KubernetesResponse> };

export type Waits = {
  /** How long to wait for an unavailable API server. */
  awayMs: number;
  /** How long a refusal is doubted: roles that were made an instant ago are known a little later. */
  refusedMs: number;
  betweenMs: number;
};

const usual: Waits = { awayMs: 120_000, refusedMs: 10_000, betweenMs: 1_000 };

/**
 * @throws StartupError if the server stays unavailable, or refuses the request (401, 403); any other answer is returned
 */
export function connect(account: ServiceAccount, log: Log, waits: Partial<Waits> = {}): KubernetesClient {
  const { awayMs, refusedMs, betweenMs } = { ...usual, ...waits };
  const where = `The API server at ${account.host}:${account.port}`;
  const untilAnswered = async (question: Question): Promise<KubernetesResponse> => {
    const wait = reportWait(log, where.replace("The", "the"));
    const startedMs = performance.now();
    for (;;) {
      const answer = await ask(account, question).catch((fault: unknown) => fault);
      const elapsedMs = performance.now() - startedMs;
      const fault = faultOf(answer);
      if (isAnswer(answer) && fault === null) {
        wait.over();
        return answer;
      }
      const refused = isAnswer(answer) && isRefusal(answer.status);
      if (elapsedMs >= (refused ? refusedMs : awayMs)) {
        throw refused
          ? new StartupError(
              `${where} refuses: ${messageOf(answer)}. Its Role must allow get, create and patch of secrets in the namespace ${account.namespace}.`,
            )
          : new StartupError(`${where} gave no answer for ${Math.round(awayMs / 1000)} s: ${String(fault)}`);
      }
      wait.failed(fault);
      await sleep(betweenMs);
    }
  };
  return { namespace: account.namespace, ask: untilAnswered };
}

const isAnswer = (given: unknown): given is KubernetesResponse =>
  typeof given === "object" && given !== null && "status" in given;
const isRefusal = (status: number) => status === 401 || status === 403;

/** Why the request is retried; null if this is the answer. */
function faultOf(given: unknown): unknown {
  if (!isAnswer(given)) return given;
  const { status } = given;
  return isRefusal(status) || status === 429 || status >= 500 ? new Error(`${status}: ${messageOf(given)}`) : null;
}

/** The server's own message (a `Status`), else the beginning of its response. */
export function messageOf({ status, body }: KubernetesResponse): string {
  if (typeof body === "object" && body !== null && "message" in body) return String(body.message);
  return typeof body === "string" && body !== "" ? body : `status ${status}`;
}

/** Asks the API server once. @throws Error where it gives no whole answer in time */
async function ask(
  { host, port, ca, token }: ServiceAccount,
  { method, path, body }: Question,
): Promise<KubernetesResponse> {
  const address = new URL(path, `https://${host.includes(":") ? `[${host}]` : host}:${port}`);
  const headers = { Authorization: `Bearer ${await token()}`, Accept: "application/json" };
  const patch = method === "PATCH" ? { contentType: "application/merge-patch+json" } : {};
  const { status, text } = await send(address, { method, headers, body, ca, ...patch });
  try {
    return { status, body: JSON.parse(text) };
  } catch {
    return { status, body: text.slice(0, 300) }; // A proxy in between may answer in its own words.
  }
}

/** Where the API server is, and what this pod shows it. */
export type ServiceAccount = {
  host: string;
  port: number;
  namespace: string;
  /** The certificate authority of the API server, PEM. */
  ca: string;
  /** Read again each time: the kubelet replaces it before it expires. */
  token: () => Promise<string>;
};

/** https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/#directly-accessing-the-rest-api */
const mountedAt = "/var/run/secrets/kubernetes.io/serviceaccount";

/** @throws StartupError where this is no pod, or one without a service account's token */
export async function readServiceAccount(
  { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port }: NodeJS.ProcessEnv,
  folder = mountedAt,
): Promise<ServiceAccount> {
  if (!host) throw new StartupError("KUBERNETES_SERVICE_HOST is not set: this is for a pod of Kubernetes.");
  const read = async (name: string) =>
    (
      await readFile(join(folder, name), "utf8").catch((cause: unknown) => {
        const hint = "the pod needs automountServiceAccountToken: true";
        throw new StartupError(`${join(folder, name)} cannot be read: ${hint}.`, { cause });
      })
    ).trim();
  const token = () => read("token");
  await token();
  return { host, port: Number(port) || 443, namespace: await read("namespace"), ca: await read("ca.crt"), token };
}
