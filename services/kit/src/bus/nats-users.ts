import { randomBytes } from "node:crypto";
import { type BusUser, busUsers, permissionsOf, previousRunnerPermissions, runnerUser } from "@sonde/proto/permissions";
import { type ServiceName, serviceNames } from "@sonde/proto/services";

/** A password for each user of the bus but the administrator. */
export type UserPasswords = Readonly<Record<BusUser, string>>;

/** The user with all permissions on the bus: `npm start` itself, which creates streams and changes their bounds. */
export const natsAdmin = "sonde";

export const randomPassword = (): string => randomBytes(24).toString("base64url");

/** A new password for each service, and for the runners of each of these locations. */
export function newUserPasswords(locations: readonly string[]): UserPasswords {
  return Object.fromEntries(busUsers(locations).map((user) => [user, randomPassword()])) as UserPasswords;
}

/**
 * The authorization part of a nats-server's configuration: the administrator may do everything, each user what
 * `proto/permissions.ts` lists, all others nothing. JSON is valid in it.
 */
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

/** The variable that holds a service's password: `NATS_PASSWORD_AGENT_INGEST`, `NATS_PASSWORD_ADMIN`. */
export const passwordVariable = (user: ServiceName | "admin"): string =>
  `NATS_PASSWORD_${user.toUpperCase().replaceAll("-", "_")}`;

/** How the user of a location's runners is written into a file that is filled in later. */
export type RunnerTemplate = {
  /** Placeholder of the location, with the characters around it where the user is repeated. */
  location: string;
  before?: string;
  after?: string;
  /** The variable that holds its password. */
  variable: string;
  /** Whether runners of the version before may still connect (unused since 0.2.0). */
  withPrevious?: boolean;
};

/**
 * The same users for a server that reads their passwords from its environment. It parses a variable's value as
 * configuration, so each must be in double quotes there, or a password of digits would be a number.
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
