"""Keeps a copy of all listings in SQLite. It may be killed and started again at any time:
python3 follow.py http://localhost:8080/api listings.db"""
import io, json, sqlite3, sys, time, urllib.error, urllib.parse, urllib.request

base, db = sys.argv[1], sqlite3.connect(sys.argv[2], timeout=30)
db.executescript("""PRAGMA journal_mode = WAL;
    CREATE TABLE IF NOT EXISTS listings (id TEXT PRIMARY KEY, data TEXT, run INTEGER);
    CREATE TABLE IF NOT EXISTS place (run INTEGER, exported INTEGER, next TEXT);
    INSERT INTO place SELECT 1, 0, NULL WHERE NOT EXISTS (SELECT * FROM place)""")
put = lambda data, run: db.execute("REPLACE INTO listings VALUES (?, ?, ?)", (data["id"], json.dumps(data), run))

def export(run):
    last = db.execute("SELECT max(id) FROM listings WHERE run = ?", (run,)).fetchone()[0]
    with urllib.request.urlopen(f"{base}/export?after={urllib.parse.quote(last or '')}", timeout=60) as lines:
        if last is None:  # Changes are followed from the link of the first response.
            db.execute("UPDATE place SET next = ?", (lines.headers["Link"].split(">")[0][1:],))
        if lines.headers["Content-Length"] == "0":  # Only this length proves that no listing follows.
            db.execute("DELETE FROM listings WHERE run < ?", (run,))
            db.execute("UPDATE place SET exported = 1")
            return 0
        # Without the reader, a transfer that breaks off would end like a complete one.
        saved = 0
        for line in io.BufferedReader(lines):
            if not line.endswith(b"\n"): break  # A response may be cut short without an error.
            put(json.loads(line), run)
            if saved % 1000 == 0: db.commit()
            saved += 1
    return 0 if saved else 1

def follow(url, run):
    with urllib.request.urlopen(url, timeout=60) as response: page = json.load(response)
    for item in page["items"]:
        if item["state"] == "updated": put(item["data"], run)
        else: db.execute("DELETE FROM listings WHERE id = ?", (item["id"],))
    db.execute("UPDATE place SET next = ?", (page["next"],))
    return 0 if page["items"] else 1

while True:
    run, exported, url = db.execute("SELECT run, exported, next FROM place").fetchone()
    try: pause = follow(url, run) if exported else export(run)
    except Exception as error:  # A proxy can send anything, so everything is tried again.
        print(error, file=sys.stderr)
        if getattr(error, "code", 0) == 410:  # The place is too old: start over, and keep the copy until then.
            db.execute("UPDATE place SET run = run + 1, exported = 0")
        wait = getattr(error, "headers", {}).get("Retry-After", "")
        pause = int(wait) if wait.isdigit() else 5
    db.commit()  # The changes and the place are saved together.
    time.sleep(pause or 0)
