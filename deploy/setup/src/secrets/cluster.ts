import { ApiException, CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import { StartupError } from "@sonde/kit/service/startup-error";
import type { Log } from "@sonde/kit/service/log";
import { reasonOf, reportWait } from "@sonde/kit/service/waiting";
import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export type SecretsApi = {
  /**
   * Makes a request in this pod's namespace, and repeats it while the API server is unavailable.
   * @returns `undefined` for one of the expected error statuses
   * @throws StartupError for any other, prefixed with `otherwise`; and if the server stays unavailable, or refuses (401, 403)
   */
  ask<Answer>(
    request: (api: CoreV1Api, namespace: string) => Promise<Answer>,
    expected: readonly number[],
    otherwise: string,
  ): Promise<Answer | undefined>;
};

export type Waits = {
  /** How long to wait for an unavailable API server. */
  awayMs: number;
  /** How long to retry after a refusal: a new role takes effect a little later. */
  refusedMs: number;
  betweenMs: number;
};

const usual: Waits = { awayMs: 120_000, refusedMs: 10_000, betweenMs: 1_000 };
/** https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/#directly-accessing-the-rest-api */
const mountedAt = "/var/run/secrets/kubernetes.io/serviceaccount";

/** @throws StartupError if this is no pod, or one without a service account's token */
export async function connectCluster(
  { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = "443" }: NodeJS.ProcessEnv,
  log: Log,
  { folder = mountedAt, waits = {} }: { folder?: string; waits?: Partial<Waits> } = {},
): Promise<SecretsApi> {
  if (!host) throw new StartupError("KUBERNETES_SERVICE_HOST is not set: run this in a Kubernetes pod.");
  const [tokenFile, caFile] = [join(folder, "token"), join(folder, "ca.crt")];
  await access(tokenFile).catch((cause: unknown) => {
    throw new StartupError(`${tokenFile} cannot be read: the pod needs automountServiceAccountToken: true.`, { cause });
  });
  const namespace = (await readFile(join(folder, "namespace"), "utf8")).trim();
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    {
      name: "cluster",
      server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
      caFile,
      skipTLSVerify: false,
    },
    { name: "pod", authProvider: { name: "tokenFile", config: { tokenFile } } },
  );
  const api = config.makeApiClient(CoreV1Api);
  const { awayMs, refusedMs, betweenMs } = { ...usual, ...waits };
  const where = `API server at ${host}:${port}`;
  return {
    async ask(request, expected, otherwise) {
      const wait = reportWait(log, `the ${where}`, { explain: messageOf });
      const startedMs = performance.now();
      for (;;) {
        try {
          const answer = await request(api, namespace);
          wait.over();
          return answer;
        } catch (cause) {
          const status = cause instanceof ApiException ? cause.code : 0;
          const isRefused = status === 401 || status === 403;
          if (expected.includes(status)) return undefined;
          if (status >= 400 && status < 500 && status !== 429 && !isRefused)
            throw new StartupError(`${otherwise}: ${messageOf(cause)}`, { cause });
          if (performance.now() - startedMs >= (isRefused ? refusedMs : awayMs))
            throw new StartupError(
              isRefused
                ? `The ${where} denies access: ${messageOf(cause)}. The pod's Role must allow get, create and patch of secrets in namespace ${namespace}.`
                : `The ${where} did not respond for ${Math.round(awayMs / 1000)} s: ${messageOf(cause)}`,
              { cause },
            );
          wait.failed(cause);
        }
        await sleep(betweenMs);
      }
    },
  };
}

/** The server's own message (a `Status`), else why there was no answer. */
function messageOf(fault: unknown): string {
  if (!(fault instanceof ApiException)) return reasonOf(fault);
  const { code, body } = fault as ApiException<unknown>;
  const text = typeof body === "string" ? body : `status ${code}`;
  try {
    return (JSON.parse(text) as { message: string }).message;
  } catch {
    return text.slice(0, 300); // A proxy in between has its own format.
  }
}
