import { expect, test } from "vitest";
import { similarName } from "./similar-name.ts";

const known = [
  "AUTH_REGISTRATION",
  "AUTH_SETUP_CODE",
  "AGENT_MIN_INTERVAL_SECONDS",
  "GATEWAY_MAX_STREAMS",
  "GATEWAY_MAX_STREAMS_PER_USER",
  "OIDC_ISSUER",
  "PUBLIC_URL",
  "HOST",
  "PORT",
  "LOG_LEVEL",
];

test.each([
  ["AUTH_REGISTRATON", "AUTH_REGISTRATION"],
  ["AUTH_SETUP_COED", "AUTH_SETUP_CODE"],
  ["AUTH_SIGNUP_CODE", "AUTH_SETUP_CODE"],
  ["AGENT_MIN_INTERVAL_SECOND", "AGENT_MIN_INTERVAL_SECONDS"],
  ["GATEWAY_MAX_STREAM", "GATEWAY_MAX_STREAMS"],
  ["GATEWAY_MAX_STREAMS_USER", "GATEWAY_MAX_STREAMS_PER_USER"],
  ["OICD_ISSUER", "OIDC_ISSUER"],
  ["OIDC_ISUER", "OIDC_ISSUER"],
  ["PUBLIC_URI", "PUBLIC_URL"],
  ["LOGLEVEL", "LOG_LEVEL"],
])("%s is similar to %s", (name, meant) => expect(similarName(name, known)).toBe(meant));

// Variables of shells, CI machines and Kubernetes.
test.each([
  "HOSTNAME",
  "GHOST",
  "POST",
  "AGENT_NAME",
  "AGENT_WORKDIR",
  "AUTH_TOKEN",
  "LOGNAME",
  "PATH",
  "GATEWAY_PORT",
])("%s is similar to no variable", (name) => expect(similarName(name, known)).toBeUndefined());
