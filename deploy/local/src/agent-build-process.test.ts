import { tmpdir } from "node:os";
import { expect, it } from "vitest";
import { buildEnvironment } from "./agent-builds.ts";

it("tells npm where programs, its home, proxies and registries are, and none of Sonde's secrets", () => {
  const needed = {
    PATH: "/usr/bin",
    HOME: tmpdir(),
    https_proxy: "http://proxy:3128",
    HTTP_PROXY: "http://proxy:3128",
    npm_config_registry: "http://127.0.0.1:9",
    NODE_EXTRA_CA_CERTS: "/etc/ca.pem",
  };
  const secret = {
    SONDE_SECRET_KEY: "k",
    DATABASE_URL: "postgres://u:p@h/d",
    NATS_URL_AUTH: "n",
    AUTH_SETUP_CODE: "c",
  };
  expect(buildEnvironment({ ...needed, ...secret })).toEqual(needed);
});
