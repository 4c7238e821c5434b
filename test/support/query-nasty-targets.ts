const plain = (table: string): string[] => table.trim().split(/\s+/);

/** Raw query strings of a feed that must never cause a 5xx. */
export const NASTY_QUERIES = [
  ...plain(`
    ? ?& ?= ?== ?&&&=& ??page=1 ?page ?page= ?page=1;pageSize=2 ?page=% ?page=%2 ?page=%ZZ ?page=%00 ?page=1%00 ?page=-1 ?page=0 ?page=1e9
    ?page=0x10 ?page=9007199254740991 ?page=9007199254740992 ?page=9007199254740991&pageSize=100 ?page[]=1 ?page[a]=1 ?page=1&page=2
    ?page=1&%70age=2 ?pageSize=NaN ?pageSize=101 ?city=%FF%FE ?city=%C0%AF ?city=%ED%A0%80 ?city=%00 ?city=a%00b ?city=* ?city=%2A%3F ?city=%5C
    ?city=%22%7D%5D ?city={"match_all":{}} ?city=../../etc/passwd ?city=%F0%9F%98%80 ?city=%E2%80%AE ?city=%EF%BB%BF ?city=%26%23x110000; ?__proto__=1
    ?__proto__[page]=1 ?constructor=1 ?toString=1&hasOwnProperty=1 ?date=0000-00-00 ?date=0000-01-01 ?date=9999-12-31 ?date=10000-01-01
    ?date=2026-12-01T00:00:00Z ?date=2026-02-30 ?date=-2026-12-01 ?date=now/d ?data=%00&date=%00 ?city=a#page=0 # #?page=0 ?a=http://b?c
  `),
  '?city=\xff',
  '?city=\xc3\xa3',
  `?page=${'9'.repeat(5_000)}`,
  `?city=${'a'.repeat(10_240)}`,
  `?city=${'%C3%A3'.repeat(1_700)}`,
  `?city=${'%20'.repeat(3_000)}`,
  `?city=${'%3C'.repeat(3_000)}`,
  `?city=${'%26amp;'.repeat(1_000)}`,
  `?${'a&'.repeat(5_000)}`,
  `?${'city&'.repeat(2_000)}`,
  `?${'=&'.repeat(5_000)}`,
];

/** Whole targets that must never cause a 5xx. */
export const NASTY_TARGETS = [
  ...plain(`
    / // ///api/public-feed /api /api/ /api//public-feed /API/public-feed /api/public-feed/ /api/public-feed// /api/public-feed/sale/
    /api/public-feed/sale/x /api/public-feed/% /api/public-feed/%ZZ /api/public-feed/%00 /api/public-feed/%FF /api/public-feed/..
    /api/public-feed/%2e%2e /api/public-feed/__proto__ /api/public-feed/Sale /api/public-feed/:adType /api/public-feed/sale%2F
    /api/../api/public-feed /%61pi/public-feed /catalogo * api/public-feed http://localhost/nothing http://[::1 http://user:pass@host:99999/x
    ftp://x/y /public-feed /favicon.ico /api/openapi
  `),
  '/\xff\xfe',
  `/${'a'.repeat(10_000)}`,
];
