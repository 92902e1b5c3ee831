import { describe, expect, it } from "vitest";
import * as en from "./en-US/index.ts";
import * as laterEn from "./en-US/later.ts";
import * as zh from "./zh-CN/index.ts";
import * as laterZh from "./zh-CN/later.ts";

/** Returns every text with its dotted key. */
function texts(words: object, path = ""): [string, string][] {
  return Object.entries(words).flatMap(([key, value]) =>
    typeof value === "string" ? [[path + key, value] as [string, string]] : texts(value as object, `${path}${key}.`),
  );
}

describe("the two catalogues", () => {
  const chinese = new Map([...texts(zh), ...texts(laterZh)]);

  it("leave nothing in English except names and technical terms", () => {
    const same = [...texts(en), ...texts(laterEn)].filter(
      ([key, text]) => chinese.get(key) === text && /[a-z]{3}/i.test(text),
    );
    expect(
      same
        .map(([, text]) => text)
        .filter(
          (text) =>
            !/^(URL|CPU|HTTP|TCP|DNS|TLS|STARTTLS|SMTP|IMAP|POP3|FTP|LDAP|PostgreSQL|MySQL|Redis|WebSocket|gRPC|Slack|Telegram|Webhook|Discord|ntfy|PagerDuty|Microsoft Teams|Matrix|Gotify|Mattermost|Rocket\.Chat|Google Chat|Zulip|Pushover|Bark|PushDeer|Signal|LINE|Alertmanager|Apprise API|Linux|macOS|Windows|Cookie|\{\{name\}\}|p50|p95|Agent( \{\{id\}\})?|© .*)$/.test(
              text,
            ),
        ),
    ).toEqual([]);
  });

  it("contain the specified texts exactly", () => {
    expect(en.errors).toMatchObject({
      loginFailed: "Login failed, please try again later",
      registrationFailed: "Registration failed, please try again later",
      fetchMonitors: "Failed to fetch monitor data",
      deleteMonitor: "Failed to delete monitor",
      monitorMissing: "Monitor does not exist",
      checkFailed: "Check failed",
      createMonitor: "Failed to create monitor, please try again later",
      updateMonitor: "Failed to update monitor",
      unknown: "Unknown error",
      fetchData: "Failed to fetch data",
      deletion: "Deletion failed, please try again",
      agentMissing: "Agent not found",
      deleteAgent: "Failed to delete agent",
      updateAgent: "Update failed",
      fetchUsers: "Failed to fetch user list",
      deleteUser: "Failed to delete user",
      notLoggedIn: "User not logged in",
      updateProfile: "Failed to update profile",
      changePassword: "Failed to change password",
    });
    expect(en.auth.login.refused).toBe("Incorrect username or password");
    expect(en.auth.register).toMatchObject({
      mismatch: "Passwords do not match",
      success: "Registration successful, please login",
    });
    expect(en.monitor.checkCompleted).toBe("Monitor check completed");
    expect(en.monitors.remove.success).toBe("Monitor successfully deleted");
    expect(en.agents.remove.success).toBe("Agent successfully deleted");
    expect(en.agentEdit.success).toBe("Agent updated successfully");
    expect(en.nav).toMatchObject({
      loggedInAs: "Logged in as",
      users: "User Management",
      profile: "Profile",
      logout: "Log out",
    });
  });
});
