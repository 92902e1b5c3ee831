import { act, render, screen } from "@testing-library/react";
import { useTranslation } from "react-i18next";
import { describe, expect, it } from "vitest";
import { changeLanguage, i18n, loadWords, startI18n } from "./i18n.ts";

function Texts() {
  const { t, i18n } = useTranslation();
  return <p>{[i18n.language, t("nav.logout"), t("monitorList.order.label"), t("users.title")].join(" · ")}</p>;
}

describe("the words of the app", () => {
  it("come in parts, and in another language as far as they were asked for", async () => {
    await startI18n("en-US");
    expect(i18n.t("monitorList.order.label")).toBe("monitorList.order.label");
    await loadWords("list");
    render(<Texts />);
    expect(screen.getByText("en-US · Logout · Sort by · users.title")).toBeTruthy();
    await act(() => changeLanguage("zh-CN"));
    expect(screen.getByText("zh-CN · 退出登录 · 排序 · users.title")).toBeTruthy();
    expect(document.documentElement.lang).toBe("zh-CN");
    await loadWords("whole");
    expect(i18n.t("users.title")).toBe("用户管理");
  });

  it("are loaded in the language that was chosen while they came", async () => {
    await startI18n("en-US");
    const loading = loadWords("whole");
    await changeLanguage("zh-CN");
    await loading;
    expect(i18n.t("users.title")).toBe("用户管理");
  });

  it("keep the whole list of errors beside the first page's few, in another language too", async () => {
    await startI18n("en-US");
    await loadWords("list");
    await changeLanguage("zh-CN");
    for (const key of ["errors.deleteMonitor", "errors.offline"] as const) expect(i18n.t(key)).not.toBe(key);
  });
});
