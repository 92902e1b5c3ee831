import { ApiException, CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import { StartupError } from "@sonde/kit/service/startup-error";
import type { Log } from "@sonde/kit/service/log";
import { reasonOf, reportWait } from "@sonde/kit/service/waiting";
import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export type SecretsApi = {
  /**
   * Sends a request in this pod's namespace, and repeats it while the API server is unavailable.
   * @returns undefined for one of the expected error statuses
   * @throws StartupError for any other, prefixed with `problem`; and if the server stays unavailable or refuses (401, 403)
   */
  request<Result>(
    send: (api: CoreV1Api, namespace: string) => Promise<Result>,
    expected: readonly number[],
    problem: string,
  ): Promise<Result | undefined>;
};

export type Waits = {
  unavailableMs: number;
  /** How long to retry after a refusal, because a new role takes a moment to take effect. */
  refusedMs: number;
  betweenMs: number;
};

const defaultWaits: Waits = { unavailableMs: 120_000, refusedMs: 10_000, betweenMs: 1_000 };
/** https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/#directly-accessing-the-rest-api */
const mountedAt = "/var/run/secrets/kubernetes.io/serviceaccount";

/** @throws StartupError outside a pod, or in one without a service account token */
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
  const { unavailableMs, refusedMs, betweenMs } = { ...defaultWaits, ...waits };
  const where = `API server at ${host}:${port}`;
  return {
    async request(send, expected, problem) {
      const wait = reportWait(log, `the ${where}`, { explain: messageOf });
      const startedMs = performance.now();
      for (;;) {
        try {
          const response = await send(api, namespace);
          wait.over();
          return response;
        } catch (cause) {
          const status = cause instanceof ApiException ? cause.code : 0;
          const isRefused = status === 401 || status === 403;
          if (expected.includes(status)) return undefined;
          if (status >= 400 && status < 500 && status !== 429 && !isRefused)
            throw new StartupError(`${problem}: ${messageOf(cause)}`, { cause });
          if (performance.now() - startedMs >= (isRefused ? refusedMs : unavailableMs))
            throw new StartupError(
              isRefused
                ? `The ${where} denies access: ${messageOf(cause)}. The pod's Role must allow get, create and patch of secrets in namespace ${namespace}.`
                : `The ${where} did not respond for ${Math.round(unavailableMs / 1000)} s: ${messageOf(cause)}`,
              { cause },
            );
          wait.failed(cause);
        }
        await sleep(betweenMs);
      }
    },
  };
}

/** Returns the message of the server's `Status`, or why there was no response. */
function messageOf(fault: unknown): string {
  if (!(fault instanceof ApiException)) return reasonOf(fault);
  const { code, body } = fault as ApiException<unknown>;
  const text = typeof body === "string" ? body : `status ${code}`;
  try {
    return (JSON.parse(text) as { message: string }).message;
  } catch {
    return text.slice(0, 300); // A proxy's error page.
  }
}
