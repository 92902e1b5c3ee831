import { randomBytes } from "node:crypto";
import { type BusUser, busUsers, permissionsOf, previousRunnerPermissions, runnerUser } from "@sonde/proto/permissions";
import { type ServiceName, serviceNames } from "@sonde/proto/services";

export type UserPasswords = Readonly<Record<BusUser, string>>;

export const natsAdmin = "sonde";

export const randomPassword = (): string => randomBytes(24).toString("base64url");

export function newUserPasswords(locations: readonly string[]): UserPasswords {
  return Object.fromEntries(busUsers(locations).map((user) => [user, randomPassword()])) as UserPasswords;
}

/** Renders the authorization section of a nats-server configuration, where JSON is valid syntax. */
export function authorization(adminPassword: string, passwords: Partial<UserPasswords> = {}): string {
  const users = [
    { user: natsAdmin, password: adminPassword },
    ...Object.entries(passwords).map(([user, password]) => ({
      user,
      password,
      permissions: permissionsOf(user as BusUser),
    })),
  ];
  return `authorization {\n  users: ${JSON.stringify(users, null, 2)}\n}`;
}

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
  const { location, variable, before = "", after = "", withPrevious = false } = runner;
  const ofRunners = runnerUser(location);
  const users = [
    user(natsAdmin, passwordVariable("admin")),
    ...serviceNames
      .filter((name) => name !== "probe-runner")
      .map((name) => user(name, passwordVariable(name), permissionsOf(name))),
    ...(withPrevious ? [user("probe-runner", passwordVariable("probe-runner"), previousRunnerPermissions())] : []),
    `${before}${user(ofRunners, variable, permissionsOf(ofRunners))}${after}`,
  ];
  return `authorization {\n  users: [\n${users.join("\n")}\n  ]\n}\n`;
}

const indent = (text: string, by: number) => text.replaceAll("\n", `\n${" ".repeat(by)}`);
