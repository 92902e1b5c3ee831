import type * as en from "../en-US/profile.ts";
import type { Translated } from "../catalogue.ts";

export const profile: Translated<typeof en.profile> = {
  title: "个人资料",
  since: "{{role}} · 账号创建于",
  basic: {
    title: "基本信息",
    username: "用户名",
    email: "邮箱",
    submit: "保存",
    saving: "保存中…",
    success: "个人资料已更新",
  },
  password: {
    title: "修改密码",
    current: "当前密码",
    new: "新密码",
    confirm: "确认新密码",
    hint: "至少 8 个字符",
    note: "您在其他设备上的登录将全部退出。",
    submit: "修改密码",
    saving: "修改中…",
    success: "密码已修改",
    sessionsEnded: "您在其他设备上的登录已全部退出。",
    currentRequired: "请输入当前密码",
    newRequired: "请输入新密码",
    confirmRequired: "请再次输入新密码",
    mismatch: "两次输入的密码不一致",
  },
  preferences: {
    title: "外观与语言",
    note: "立即生效，并保存在此浏览器中。",
  },
  api: {
    title: "API 参考",
    text: "本应用的所有操作都通过 HTTP API 完成。",
    link: "打开 API 参考",
  },
};
