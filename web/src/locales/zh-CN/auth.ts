import type * as en from "../en-US/auth.ts";
import type { Translated } from "../catalogue.ts";

export const auth: Translated<typeof en.auth> = {
  username: "用户名",
  email: "邮箱",
  password: "密码",
  confirmPassword: "确认密码",
  showPassword: "显示密码",
  hidePassword: "隐藏密码",
  login: {
    title: "登录 Sonde",
    submit: "登录",
    saving: "登录中…",
    noAccount: "还没有账号？",
    register: "注册",
    usernameRequired: "请输入用户名",
    passwordRequired: "请输入密码",
    refused: "用户名或密码错误",
    goOn: "登录后将继续前往您要访问的页面。",
  },
  register: {
    title: "创建账号",
    firstTitle: "初始化 Sonde",
    first: "这是本站的第一个账号，将成为管理员。",
    approval: "新账号需经管理员审核后才能登录。",
    closed: "注册已关闭，请联系管理员获取账号。",
    setupCode: "安装码",
    setupCodeHint: "安装码由部署 Sonde 的人员提供。",
    passwordHint: "至少 8 个字符",
    submit: "注册",
    saving: "注册中…",
    haveAccount: "已有账号？",
    login: "登录",
    mismatch: "两次输入的密码不一致",
    setupCodeRequired: "请输入安装码",
    success: "注册成功，请登录",
  },
};
