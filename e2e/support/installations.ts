import { makeCertificate } from "@sonde/kit/testing/certificate";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { firstAdmin } from "@sonde/testing/api";
import { launchOptions } from "@sonde/testing/browser";
import { type Product, startProduct } from "@sonde/testing/product";

declare module "vitest" {
  export interface ProvidedContext {
    /** Server that `shared.ts` requests installations from. */
    sharedUrl: string;
    chromiumEndpoint: string;
    /** Certificate and key that the probes of `default` trust. */
    trustedCertificate: { cert: string; key: string };
  }
}

/** Public address of the installation `public`, which its messages link to. */
export const publicUrl = "http://sonde.example.com";
export type InstallationName = "default" | "public" | "signIn";
export type Shared = { url: string; dataDir: string; token: string };

/**
 * Starts the Chromium and serves the installations that e2e files share. An installation starts when a file first needs
 * it. Files run concurrently, so each prefixes its objects' names with its own and ignores others.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "sonde-shared-"));
  const trusted = makeCertificate({
    names: ["trusted.test", "127.0.0.1"],
    notAfter: new Date(Math.floor(Date.now() / 1000) * 1000 + 30 * 86_400_000),
  });
  const authority = join(folder, "trusted.pem");
  await writeFile(authority, trusted.cert);
  const browsers = await chromium.launchServer(launchOptions);

  const environments: Record<InstallationName, Record<string, string>> = {
    // With an empty folder, the agent is built when a token is first created.
    default: { AGENT_DOWNLOAD_DIR: "", NODE_EXTRA_CA_CERTS: authority },
    public: { PUBLIC_URL: publicUrl },
    signIn: { AUTH_REGISTRATION: "approval" },
  };
  const products: Promise<Product>[] = [];
  let isRemoved = false;
  const shared = new Map<string, Promise<Shared>>();
  const start = async (name: InstallationName): Promise<Shared> => {
    const starting = startProduct({ MONITOR_MIN_INTERVAL_SECONDS: "2", ...environments[name] });
    products.push(starting);
    const { url, dataDir, pid } = await starting;
    // An interrupted run skips the teardown below.
    process.once("exit", () => {
      if (!isRemoved) process.kill(pid(), "SIGINT");
    });
    const { token } = await firstAdmin(url);
    return { url, dataDir, token };
  };
  const server = createServer((request, response) => {
    const name = request.url?.slice(1) as InstallationName;
    if (!shared.has(name)) shared.set(name, start(name));
    shared.get(name)!.then(
      (answer) => response.end(JSON.stringify(answer)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  project.provide("sharedUrl", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  project.provide("chromiumEndpoint", browsers.wsEndpoint());
  project.provide("trustedCertificate", { cert: trusted.cert, key: trusted.key });

  return async () => {
    server.closeAllConnections();
    server.close();
    const started = (await Promise.allSettled(products)).filter((one) => one.status === "fulfilled");
    const removed = await Promise.allSettled([browsers.close(), ...started.map(({ value }) => value.remove())]);
    isRemoved = true;
    await rm(folder, { recursive: true, force: true });
    const failures = removed.flatMap((one) => (one.status === "rejected" ? [one.reason as Error] : []));
    if (failures.length > 0) throw new AggregateError(failures, failures.map(({ message }) => message).join("\n"));
  };
}
