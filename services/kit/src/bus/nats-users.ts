import { randomBytes } from "node:crypto";
import { type BusUser, busUsers, permissionsOf, previousRunnerPermissions, runnerUser } from "@sonde/proto/permissions";
import { type ServiceName, serviceNames } from "@sonde/proto/services";

export type UserPasswords = Readonly<Record<BusUser, string>>;

export const natsAdmin = "sonde";

export const randomPassword = (): string => randomBytes(24).toString("base64url");

export function newUserPasswords(locations: readonly string[]): UserPasswords {
  return Object.fromEntries(busUsers(locations).map((user) => [user, randomPassword()])) as UserPasswords;
}

/**
 * Renders the authorization section of a nats-server configuration, where JSON is valid syntax.
 * @param issuer public key of monitors, which then decides about remote runners; needs nats-server 2.10
 */
export function authorization(
  adminPassword: string,
  passwords: Partial<UserPasswords> = {},
  issuer: string | null = null,
): string {
  const users = [
    { user: natsAdmin, password: adminPassword },
    ...Object.entries(passwords).map(([user, password]) => ({
      user,
      password,
      permissions: permissionsOf(user as BusUser),
    })),
  ];
  const names = users.map(({ user }) => user);
  const callout = issuer === null ? "" : authCallout(issuer, names);
  return `authorization {\n  users: ${JSON.stringify(users, null, 2)}\n${callout}}`;
}

/** Users of the configuration do not depend on monitors: they bypass it. */
const authCallout = (issuer: string, users: readonly string[], write = (user: string) => JSON.stringify(user)) =>
  `  auth_callout {\n    issuer: ${issuer}\n    auth_users: [\n${users.map(write).join("\n")}\n    ]\n  }\n`;

/** For example `NATS_PASSWORD_AGENT_INGEST`. */
export const passwordVariable = (user: ServiceName | "admin"): string =>
  `NATS_PASSWORD_${user.toUpperCase().replaceAll("-", "_")}`;

/** A runner user in a template that is filled in later, per location. */
export type RunnerTemplate = {
  /** Placeholder. `before` and `after` surround the user in templates that repeat it. */
  location: string;
  before?: string;
  after?: string;
  variable: string;
  /** Surround the part for remote runners, which needs the public key in `NATS_CALLOUT_ISSUER`. */
  callout?: { before?: string; after?: string };
  /** Unused since 0.2.0. */
  withPrevious?: boolean;
};

/**
 * Like `authorization`, with passwords from the environment. nats-server parses their values as configuration, so they
 * must be in double quotes: otherwise digits become a number.
 */
export function authorizationFromEnvironment(runner: RunnerTemplate): string {
  const user = (name: string, variable: string, permissions?: object) =>
    [
      "  {",
      `    user: ${JSON.stringify(name)}`,
      `    password: $${variable}`,
      ...(permissions === undefined ? [] : [`    permissions: ${indent(JSON.stringify(permissions, null, 2), 4)}`]),
      "  }",
    ].join("\n");
  const { location, variable, before = "", after = "", callout, withPrevious = false } = runner;
  const ofRunners = runnerUser(location);
  const repeated = (text: string) => `${before}${text}${after}`;
  const withoutPassword = (name: string) => {
    const quoted = `      ${JSON.stringify(name)}`;
    return name === ofRunners ? repeated(quoted) : quoted;
  };
  const users = [
    user(natsAdmin, passwordVariable("admin")),
    ...serviceNames
      .filter((name) => name !== "probe-runner")
      .map((name) => user(name, passwordVariable(name), permissionsOf(name))),
    ...(withPrevious ? [user("probe-runner", passwordVariable("probe-runner"), previousRunnerPermissions())] : []),
    repeated(user(ofRunners, variable, permissionsOf(ofRunners))),
  ];
  const names = [natsAdmin, ...serviceNames.filter((name) => withPrevious || name !== "probe-runner"), ofRunners];
  const part = callout && authCallout("$NATS_CALLOUT_ISSUER", names, withoutPassword);
  const remote = callout === undefined ? "" : `${callout.before ?? ""}${part}${callout.after ?? ""}`;
  return `authorization {\n  users: [\n${users.join("\n")}\n  ]\n${remote}}\n`;
}

const indent = (text: string, by: number) => text.replaceAll("\n", `\n${" ".repeat(by)}`);
