import { registrationModes } from "@sonde/proto/http/auth";
import { describe, expect, test } from "vitest";
import { admit } from "./register.ts";

describe.each(registrationModes)("while registration is %s", (registration) => {
  test("the first account is an active admin", () => {
    const admin = { role: "admin", status: "active" };
    expect(admit({ registration, setupCode: undefined }, { isFirst: true, codeMatches: false })).toEqual(admin);
    expect(admit({ registration, setupCode: "let me in" }, { isFirst: true, codeMatches: true })).toEqual(admin);
  });

  test("the first account must carry the setup code", () => {
    expect(admit({ registration, setupCode: "let me in" }, { isFirst: true, codeMatches: false })).toEqual({
      refusal: "The setup code is not correct",
    });
  });

  test("later ones gain nothing by the setup code", () => {
    const policy = { registration, setupCode: "let me in" };
    expect(admit(policy, { isFirst: false, codeMatches: true })).toEqual(
      admit(policy, { isFirst: false, codeMatches: false }),
    );
  });
});

test("later accounts are users at once, users in waiting, or nobody", () => {
  const later = { isFirst: false, codeMatches: false };
  expect(admit({ registration: "open", setupCode: undefined }, later)).toEqual({ role: "user", status: "active" });
  expect(admit({ registration: "approval", setupCode: undefined }, later)).toEqual({ role: "user", status: "pending" });
  expect(admit({ registration: "closed", setupCode: undefined }, later)).toEqual({
    refusal: "Registration is closed",
  });
});
