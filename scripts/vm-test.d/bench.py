async def run(options):
    return 1
