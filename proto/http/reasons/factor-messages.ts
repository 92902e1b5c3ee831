/** Messages about passwords, second factors and passkeys, part of `proto/http/messages.ts`. */
export const factorMessages = {
  "This is not a known push service": "不是已知的推送服务",
  "This device was removed": "此设备已被移除",
  "Password changed": "密码已修改",
  "The current password is not correct": "当前密码不正确",
  "Current password is required": "请输入当前密码",
  "A second factor is required": "需要两步验证",
  "The code must have 6 digits": "验证码须为 6 位数字",
  "The code is not correct": "验证码不正确",
  "The code is for a different time: the clock of your device or the server is probably wrong":
    "验证码的时间不符：设备或服务器的时钟可能不准",
  "Provide one of code, recoveryCode or passkey": "请提供 code、recoveryCode 或 passkey 其中之一",
  "The passkey could not be verified": "无法验证此通行密钥",
  "The login took too long, please start again": "登录已超时，请重新开始",
  "This took too long, please start again": "操作已超时，请重新开始",
  "An authenticator app is already set up": "已添加验证器应用",
  "This passkey is already registered": "此通行密钥已添加",
  "An account can have at most {max} passkeys": "每个账号最多有 {max} 个通行密钥",
  "Passkeys require PUBLIC_URL to be the https address where users open Sonde":
    "使用通行密钥须将 PUBLIC_URL 设置为用户访问 Sonde 的 https 地址",
  "This requires SONDE_KEY_SIGNIN, which is not set": "此操作需要 SONDE_KEY_SIGNIN，但尚未设置",
  "Second factors protect passwords, and this account has no password": "两步验证用于保护密码，而此账号没有密码",
  "Add a second factor before you create recovery codes": "请先添加两步验证方式，再生成恢复码",
  "Second factor does not exist": "该验证方式不存在",
  "A second factor is required: add another one first": "本站要求启用两步验证：请先添加另一种方式",
  "Please enter your password again": "请再次输入密码",
  "Second factor added": "已添加两步验证方式",
  "Second factor removed": "已移除两步验证方式",
  "Second factors removed": "已移除该用户的所有两步验证方式",
  "Recovery codes created": "已生成恢复码",
  "Sonde: your account is linked to {provider}": "Sonde：您的账号已关联到 {provider}",
  "You can now sign in to the Sonde account {username} with {provider}.":
    "现在可以通过 {provider} 登录 Sonde 账号 {username}。",
  "Its role changed from {former} to {role}.": "角色已从 {former} 变更为 {role}。",
  "All other sessions, API keys and linked providers of this account were removed. If this was not you, contact an administrator.":
    "此账号的其他会话和 API 密钥均已失效，与其他身份提供方的关联已解除。如非本人操作，请联系管理员。",
  "Your other sessions have ended": "您的其他会话已结束",
} as const;
