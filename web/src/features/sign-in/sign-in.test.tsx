import type { SignInProvider } from "@sonde/proto/http/sign-in";
import { secretMask } from "@sonde/proto/http/secrets";
import { screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { admin, viewer } from "../../testing/fixtures.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { fail, ok, on } from "../../testing/server.ts";

const company: SignInProvider = {
  slug: "company",
  name: "Company",
  issuer: "https://id.example.com",
  clientId: "sonde",
  clientSecret: secretMask,
  scopes: ["openid", "profile", "email"],
  roleClaim: "$.groups",
  roles: [{ value: "cn=ops", role: "admin" }],
  otherwise: "none",
  linkByMail: false,
  isReadOnly: false,
  redirectUri: "https://sonde.example.com/api/auth/oidc/company/callback",
  logoutUri: "https://sonde.example.com/api/auth/oidc/company/logout",
};
beforeEach(() =>
  on("get", "/sign-in/providers", () =>
    ok({ providers: [company, { ...company, slug: "env", name: "SSO", isReadOnly: true }], passwords: "on" }),
  ),
);

it("lists providers with their required settings, and does not edit the one from the environment", async () => {
  await renderScreen("/settings/sign-in", { as: admin });
  expect(await screen.findAllByText(company.redirectUri)).toHaveLength(2);
  expect(screen.getAllByText(/cn=ops → /)).toHaveLength(2);
  expect(screen.getByRole("link", { name: "Edit: Company" })).toBeTruthy();
  expect(screen.queryByRole("link", { name: "Edit: SSO" })).toBeNull();
  expect(screen.getByText("Set by environment variables")).toBeTruthy();
});

it("tests the input with claims before saving", async () => {
  let sent: unknown;
  on("post", "/sign-in/providers/acme/test", async ({ request }) => {
    sent = await request.json();
    return ok({
      report: {
        discovery: { isOk: true, detail: "https://acme.example.com" },
        keys: { isOk: true, detail: "RS256" },
        clock: { isOk: true, differenceSeconds: 2 },
        backchannelLogout: false,
        role: { role: "user", values: ["dev"] },
      },
    });
  });
  const { user } = await renderScreen("/settings/sign-in?provider=new", { as: admin });
  await user.type(await screen.findByLabelText(/^Name\b(?! in)/), "Acme");
  await user.type(screen.getByLabelText(/^URL slug/), "acme");
  await user.type(screen.getByLabelText(/^Issuer/), "https://acme.example.com");
  await user.type(screen.getByLabelText(/^Client ID/), "sonde");
  await user.selectOptions(screen.getByLabelText("Client authentication"), "post");
  await user.type(screen.getByLabelText(/^Role mapping/), "dev = user");
  await user.click(screen.getByLabelText(/^Sample claims/));
  await user.paste('{"groups": ["dev"]}');
  await user.click(screen.getByRole("button", { name: "Test" }));
  expect(await screen.findByText(/groups: dev/)).toBeTruthy();
  expect(sent).toMatchObject({
    provider: {
      issuer: "https://acme.example.com",
      tokenAuth: "post",
      roles: [{ value: "dev", role: "user" }],
      otherwise: "none",
    },
    claims: { groups: ["dev"] },
  });
});

it("shows invalid rules and server errors next to the fields", async () => {
  on("put", "/sign-in/providers/company", () =>
    fail(400, "invalid", "The request is not valid", [
      { path: "clientSecret", message: "The issuer has changed: enter the secret again" },
    ]),
  );
  const { user } = await renderScreen("/settings/sign-in?provider=company", { as: admin });
  const rules = await screen.findByLabelText<HTMLTextAreaElement>(/^Role mapping/);
  expect(rules.value).toBe("cn=ops = admin");
  await user.clear(rules);
  await user.type(rules, "ops = boss");
  await user.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(rules.getAttribute("aria-invalid")).toBe("true"));
  await user.clear(rules);
  await user.type(rules, "ops = admin");
  await user.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByText("The issuer has changed: enter the secret again")).toBeTruthy();
});

it("is only for administrators", async () => {
  await renderScreen("/settings/sign-in", { as: viewer });
  await screen.findByRole("heading", { name: "Not allowed" });
  expect(screen.queryByText(company.redirectUri)).toBeNull();
});
