/** Passwords, second factors and passkeys, as `proto/http/messages.ts` has them. */
export const factorMessages = {
  "Password changed": "密码已修改",
  "The current password is not correct": "当前密码不正确",
  "Current password is required": "请输入当前密码",
  "A second factor is needed": "需要第二重验证",
  "The code has 6 digits": "验证码为 6 位数字",
  "The code is not correct": "验证码不正确",
  "The code is for a different time: the clock of your device or of the server is probably wrong":
    "验证码的时间不符：设备或服务器的时钟可能不准",
  "Give one of code, recoveryCode and passkey": "请提供 code、recoveryCode 或 passkey 其中之一",
  "The passkey could not be verified": "无法验证此通行密钥",
  "The login took too long, please begin again": "登录已超时，请重新开始",
  "This took too long, please begin again": "操作已超时，请重新开始",
  "There is an authenticator app already": "已添加验证器应用",
  "This passkey is known already": "此通行密钥已添加",
  "An account has at most {max} passkeys": "每个账号最多有 {max} 个通行密钥",
  "Passkeys need PUBLIC_URL to be the https address at which people open Sonde":
    "使用通行密钥需要将 PUBLIC_URL 设置为用户打开 Sonde 的 https 地址",
  "Sonde needs SONDE_KEY_SIGNIN for this, and it is not set": "此操作需要 SONDE_KEY_SIGNIN，但尚未设置",
  "Second factors protect passwords, and this account has none": "第二重验证用于保护密码，而此账号没有密码",
  "Recovery codes stand in for a second factor, and there is none": "恢复码用于代替第二重验证，而此账号尚未添加",
  "There is no such second factor": "该验证方式不存在",
  "A second factor is demanded here: add another one first": "此处要求第二重验证：请先添加另一种方式",
  "Please enter your password again": "请再次输入密码",
  "Second factor added": "已添加第二重验证",
  "Second factor removed": "已移除第二重验证",
  "Second factors removed": "已移除该用户的所有第二重验证",
  "Recovery codes created": "已生成恢复码",
  "Sonde: your account is linked to {provider}": "Sonde：您的账号已关联到 {provider}",
  "You can now sign in to the Sonde account {username} with {provider}.":
    "现在可以通过 {provider} 登录 Sonde 账号 {username}。",
  "Its role changed from {former} to {role}.": "其角色已从 {former} 变更为 {role}。",
  "All other sessions, API keys and linked providers of this account were removed. If this was not you, contact an administrator.":
    "此账号的其他会话和 API 密钥均已失效，与其他身份提供方的关联已解除。如非本人操作，请联系管理员。",
  "Your other sessions have ended": "您的其他会话已结束",
} as const;
