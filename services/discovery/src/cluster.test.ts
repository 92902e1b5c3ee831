import { KubeConfig } from "@kubernetes/client-node";
import { silentLog } from "@sonde/kit/service/log";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it, vi } from "vitest";
import { watchCluster } from "./cluster.ts";

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

const object = (name: string, isAnnotated = true) => ({
  metadata: {
    name,
    namespace: "shop",
    resourceVersion: `${name}${isAnnotated}`,
    ...(isAnnotated && { annotations: { "sonde.dev/monitor": "true" } }),
  },
});

async function scene(namespaces: string[] = []) {
  const watches = new Map<string, ServerResponse>();
  const asked: string[] = [];
  let services = [object("db"), object("plain", false)];
  let [isAway, refused] = [false, 0];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, "http://server");
    const json = (status: number, body: object) =>
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    if (isAway) {
      refused += 1;
      return json(503, {});
    }
    if (pathname.includes("httproutes")) return json(404, {});
    if (searchParams.has("watch")) {
      response.writeHead(200).flushHeaders();
      return watches.set(pathname, response);
    }
    asked.push(pathname);
    const isSecond = searchParams.get("continue") === "more";
    const [first, second] = pathname.endsWith("services") ? [services, [object("late")]] : [[], []];
    const more = second.length > 0 && !isSecond ? { continue: "more" } : {};
    return json(200, { metadata: { resourceVersion: "7", ...more }, items: isSecond ? second : first });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    { name: "c", server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, skipTLSVerify: true },
    { name: "u" },
  );
  const cluster = watchCluster({ config, namespaces, log: silentLog, onChange: () => {} });
  closing.push(() => {
    cluster.stop();
    server.closeAllConnections();
    server.close();
  });
  return {
    cluster,
    asked,
    names: () => cluster.objects().map((one) => one.object.metadata?.name),
    send: (type: string, about: object) =>
      void watches.get("/api/v1/services")!.write(`${JSON.stringify({ type, object: about })}\n`),
    isWatched: () => watches.has("/api/v1/services"),
    breakWith(left: typeof services, away: boolean) {
      [services, isAway] = [left, away];
      for (const response of watches.values()) response.destroy();
      watches.clear();
    },
    refused: () => refused,
    comeBack: () => void (isAway = false),
  };
}

it("lists all pages, selects annotated objects, and follows changes", async () => {
  const { cluster, names, send, isWatched } = await scene();
  await vi.waitFor(() => expect(cluster.isListed() && isWatched()).toBe(true));
  expect(names()).toEqual(["db", "late"]);
  expect([...cluster.absent()]).toEqual(["HTTPRoute"]);
  send("ADDED", object("new"));
  send("MODIFIED", object("db", false));
  send("DELETED", object("late"));
  await vi.waitFor(() => expect(names()).toEqual(["new"]));
});

it("keeps objects while the API server is unavailable, and lists again afterwards", async () => {
  const { cluster, names, isWatched, breakWith, comeBack, refused } = await scene();
  await vi.waitFor(() => expect(cluster.isListed() && isWatched()).toBe(true));
  breakWith([object("other")], true);
  await vi.waitFor(() => expect(refused()).toBeGreaterThan(1), 10_000);
  expect(names()).toEqual(["db", "late"]);
  comeBack();
  await vi.waitFor(() => expect(names()).toEqual(["other", "late"]), 10_000);
});

it("lists only the given namespaces", async () => {
  const { cluster, asked } = await scene(["shop", "blog"]);
  await vi.waitFor(() => expect(cluster.isListed()).toBe(true));
  expect([...new Set(asked)].toSorted()).toEqual([
    "/api/v1/namespaces/blog/services",
    "/api/v1/namespaces/shop/services",
    "/apis/networking.k8s.io/v1/namespaces/blog/ingresses",
    "/apis/networking.k8s.io/v1/namespaces/shop/ingresses",
  ]);
});
