import { act, render, screen } from "@testing-library/react";
import { useTranslation } from "react-i18next";
import { expect, it, vi } from "vitest";
import { changeLanguage, startI18n, takeLinkLanguage } from "./i18n.ts";

function Texts() {
  const { t, i18n } = useTranslation();
  return <p>{[i18n.language, t("nav.logout"), t("users.title")].join(" · ")}</p>;
}

it("renders texts again when the language changes", async () => {
  await startI18n("en-US");
  render(<Texts />);
  expect(screen.getByText("en-US · Log out · User Management")).toBeTruthy();
  await act(() => changeLanguage("zh-CN"));
  expect(screen.getByText("zh-CN · 退出登录 · 用户管理")).toBeTruthy();
  expect(document.documentElement.lang).toBe("zh-CN");
});

it("takes the language of a link from the address without storing it", () => {
  history.replaceState(null, "", "/acknowledge?token=t&lang=en-US#top");
  expect(takeLinkLanguage()).toBe("en-US");
  expect(location.href).toMatch(/\/acknowledge\?token=t#top$/);
  expect(localStorage.getItem("language")).toBeNull();
  history.replaceState(null, "", "/incidents/m1?lang=fr");
  expect(takeLinkLanguage()).toBeUndefined();
});

it.each([
  ["zh-CN", "en-US", "en-US"],
  ["en-US", "zh-CN", "zh-CN"],
  ["en-US", null, "en-US"],
  [null, null, "zh-CN"],
])("with %s chosen and a link in %s starts in %s", async (chosen, link, expected) => {
  if (chosen !== null) localStorage.setItem("language", chosen);
  history.replaceState(null, "", link === null ? "/incidents/m1" : `/incidents/m1?lang=${link}`);
  vi.resetModules();
  const { currentLanguage } = await import("./i18n.ts");
  expect(currentLanguage()).toBe(expected);
  expect(location.search).toBe("");
});
