import { randomBytes } from "node:crypto";
import { permissionsOf } from "@sonde/proto/permissions";
import { type ServiceName, serviceNames } from "@sonde/proto/services";

/** A password for each service's user on the bus. */
export type ServicePasswords = Readonly<Record<ServiceName, string>>;

/** Who has every right on the bus: `npm start` itself, which makes streams and changes their bounds. */
export const natsAdmin = "sonde";

export const newPassword = (): string => randomBytes(24).toString("base64url");

/** A new password for each service. */
export function newServicePasswords(): ServicePasswords {
  return Object.fromEntries(serviceNames.map((name) => [name, newPassword()])) as ServicePasswords;
}

/**
 * The part of a nats-server's configuration that says who may do what: the administrator everything, each service
 * what `proto/permissions.ts` lists, and nobody else anything. JSON is valid in there.
 */
export function authorization(adminPassword: string, services: Partial<ServicePasswords> = {}): string {
  const users = [
    { user: natsAdmin, password: adminPassword },
    ...Object.entries(services).map(([name, password]) => ({
      user: name,
      password,
      permissions: permissionsOf(name as ServiceName),
    })),
  ];
  return `authorization {\n  users: ${JSON.stringify(users, null, 2)}\n}`;
}

/** The variable that holds a user's password: `NATS_PASSWORD_AGENT_INGEST`, `NATS_PASSWORD_ADMIN`. */
export const passwordVariable = (user: ServiceName | "admin"): string =>
  `NATS_PASSWORD_${user.toUpperCase().replaceAll("-", "_")}`;

/**
 * The same users for a server that reads their passwords from its environment. It parses a variable's value as
 * configuration, so that each must stand in double quotes there, or a password of digits would be a number.
 */
export function authorizationFromEnvironment(): string {
  const user = (name: string, variable: string, permissions?: object) =>
    [
      `    user: ${JSON.stringify(name)}`,
      `    password: $${variable}`,
      ...(permissions === undefined ? [] : [`    permissions: ${indent(JSON.stringify(permissions, null, 2), 4)}`]),
    ].join("\n");
  const users = [
    user(natsAdmin, passwordVariable("admin")),
    ...serviceNames.map((name) => user(name, passwordVariable(name), permissionsOf(name))),
  ];
  return `authorization {\n  users: [\n${users.map((each) => `  {\n${each}\n  }`).join("\n")}\n  ]\n}\n`;
}

const indent = (text: string, by: number) => text.replaceAll("\n", `\n${" ".repeat(by)}`);
