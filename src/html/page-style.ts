/**
 * The style shared by all pages of remit: colours, text, sections, buttons, tags, tables. A page adds its own rules
 * after it.
 */
export const BASE_STYLE = `
:root{color-scheme:light dark;
--page:#f4f5f7;--paper:#fff;--ink:#16202c;--soft:#56616f;--line:#dde1e7;--faint:#f3f5f8;--link:#0b57b0;--on-link:#fff;
--good:#12724f;--good-back:#e6f4ee;--open:#1f5fa8;--open-back:#e8f0fa;--bad:#a8320d;--bad-back:#fcece6;--quiet-back:#eceef2}
@media (prefers-color-scheme:dark){:root{
--page:#11161c;--paper:#191f27;--ink:#e6eaef;--soft:#9eabba;--line:#313a46;--faint:#202833;--link:#86b7f3;--on-link:#0d1520;
--good:#5fcfa0;--good-back:#14322a;--open:#8cbcf2;--open-back:#182b42;--bad:#ff9a73;--bad-back:#3a2017;--quiet-back:#2a323d}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
.top{background:var(--quiet-back);border-bottom:1px solid var(--line)}
.top>div,main,footer{max-width:1180px;margin:0 auto;padding:0 24px}
.top>div{padding-top:18px;padding-bottom:16px}
h1{margin:0;font-size:26px;line-height:1.2;letter-spacing:-.01em}
h2{margin:0 0 12px;font-size:18px;line-height:1.3}
h3{margin:0;font-size:15.5px}
p{margin:6px 0}
a{color:var(--link)}
.soft{color:var(--soft)}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:4px 18px;margin:10px 0 0;padding:0}
nav a{display:inline-block;padding:4px 0}
section{margin:20px 0;padding:20px 22px;background:var(--paper);border:1px solid var(--line);border-radius:10px}
.notice{margin:20px 0 0;padding:10px 14px;border-radius:8px;color:var(--good);background:var(--good-back);font-weight:600}
fieldset{border:0;margin:0;padding:0;min-width:0}
legend{padding:0;color:var(--soft);font-size:13.5px;margin-bottom:6px}
.buttons{display:flex;flex-wrap:wrap;gap:8px}
button{font:inherit;font-weight:600;min-height:40px;padding:7px 12px;border-radius:7px;border:1px solid var(--link);background:var(--link);color:var(--on-link);cursor:pointer}
button.plain{background:transparent;color:var(--link)}
button[aria-pressed=true]{background:var(--open-back);color:var(--open);border-color:var(--open)}
button:hover{filter:brightness(1.08)}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-9999px}
.skip:focus{left:12px;top:8px;background:var(--paper);padding:8px 12px;border-radius:6px}
dl{display:grid;grid-template-columns:1fr auto;gap:3px 16px;margin:10px 0 0}
dt{color:var(--soft)}
dd{margin:0;text-align:right;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
code,.id{font:12.5px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;overflow-wrap:anywhere}
code{background:var(--faint);border:1px solid var(--line);border-radius:4px;padding:1px 5px}
table{border-collapse:collapse;width:100%;font-size:14px}
caption{text-align:left;color:var(--soft);padding:0 0 6px;font-size:13.5px}
th,td{text-align:left;padding:6px 10px;border-bottom:1px solid var(--line);vertical-align:top}
thead th{color:var(--soft);font-weight:600;font-size:13px;border-bottom-color:var(--soft);white-space:nowrap}
tbody tr:last-child td{border-bottom:0}
th:first-child,td:first-child{padding-left:0}
th:last-child,td:last-child{padding-right:0}
td{overflow-wrap:anywhere}
td.at,td.id,td.n,th.n{white-space:nowrap;font-variant-numeric:tabular-nums}
td.n,th.n{text-align:right}
.tag{display:inline-block;padding:0 8px;border-radius:20px;font-size:13px;font-weight:600;white-space:nowrap;color:var(--soft);background:var(--quiet-back)}
.tag.good{color:var(--good);background:var(--good-back)}
.tag.open{color:var(--open);background:var(--open-back)}
.tag.bad{color:var(--bad);background:var(--bad-back)}
footer{padding-top:4px;padding-bottom:28px;color:var(--soft);font-size:13px}
@media (max-width:760px){
.top>div,main,footer{padding-left:14px;padding-right:14px}
section{margin:12px 0;padding:16px 14px}
h1{font-size:22px}
button{min-height:44px}
nav a{padding:8px 0}}
@media (max-width:1000px){
table,tbody,tr,td,caption{display:block;width:auto}
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
tbody tr{padding:9px 0;border-bottom:1px solid var(--line)}
tbody tr:last-child{border-bottom:0}
td,td.at,td.id,td.n{padding:1px 0;border:0;text-align:left;white-space:normal;display:grid;grid-template-columns:86px 1fr;gap:8px}
td::before{content:attr(data-label);color:var(--soft);font-size:13px}
td>*{justify-self:start}
td:has(>span:empty){display:none}}
@media (min-width:1001px) and (max-width:1200px){td.id{white-space:normal;min-width:112px}}
`.trim();
