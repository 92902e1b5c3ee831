import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { StartupError } from "@sonde/kit/embedded/startup-error";

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
